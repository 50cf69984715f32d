// The compiler takes the declarations of threads for Dispatch's, where another file of the module imports it first.
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of the server. `Thread` belongs to the full Foundation, which takes longer to load than
/// everything else together.
enum ServerThread {
  /// Starts a thread that ends with the closure.
  ///
  /// - Parameters:
  ///   - stackSize: the size of its stack in bytes, at least 64 KiB.
  ///   - body: what it does.
  /// - Returns: whether the system could start it; `errno` is the reason if not.
  static func start(stackSize: Int = 512 << 10, _ body: @escaping @Sendable () -> Void) -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let work = Unmanaged.passRetained(Work(body))
    let code = pthread_create(
      &thread, &attributes,
      { work in
        // Darwin's argument isn't optional.
        let work: UnsafeMutableRawPointer? = work
        if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    guard code != 0 else { return true }
    work.release()
    errno = code
    return false
  }

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
