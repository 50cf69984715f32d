@preconcurrency import Dispatch
internal import TenonThreads

extension MainActor {
  /// Marks the main queue, so that code can recognize that it runs there. Set once, when it is first read.
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main actor.
  ///
  /// That isn't the same as running on the main thread: on Linux, a program with an asynchronous `main`
  /// releases its main thread, and any thread may serve the main queue, on which the main actor runs.
  @usableFromInline static var isCurrent: Bool {
    tenon_is_main_thread() != 0 || DispatchQueue.getSpecific(key: mark) == true
  }
}
