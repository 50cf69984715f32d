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
    let work = Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    // Not `pthread_attr_t()`: which module that initializer is taken to be of depends on the other files.
    let code = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
      guard let attributes = buffer.baseAddress else { return ENOMEM }
      pthread_attr_init(attributes)
      defer { pthread_attr_destroy(attributes) }
      pthread_attr_setdetachstate(attributes, CInt(PTHREAD_CREATE_DETACHED))
      pthread_attr_setstacksize(attributes, stackSize)
      return pthread_create(
        &thread, attributes,
        { work in
          // Darwin's argument isn't optional.
          let work: UnsafeMutableRawPointer? = work
          if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body() }
          return nil
        }, work.toOpaque())
    }
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
