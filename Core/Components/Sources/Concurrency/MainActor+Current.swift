@preconcurrency import Dispatch
internal import TenonThreads

extension MainActor {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main actor.
  ///
  /// That isn't the same as the main thread: on Linux, a program whose `main` is asynchronous gives its main thread up,
  /// and any thread may serve the main queue, which is the main actor's.
  static var isCurrent: Bool { tenon_is_main_thread() != 0 || DispatchQueue.getSpecific(key: mark) == true }
}
