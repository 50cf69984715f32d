import Dispatch
internal import TenonThreads

/// Where the main actor runs: on the main thread, or on the main queue. On Linux a program whose `main` is asynchronous
/// gives its first thread up, and any thread may run the queue then.
enum MainExecutor {
  private static let mark: DispatchSpecificKey<Bool> = {
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    return mark
  }()

  /// Whether the caller runs there.
  static var isCurrent: Bool {
    tenon_is_main_thread() != 0 || DispatchQueue.getSpecific(key: mark) == true
  }
}
