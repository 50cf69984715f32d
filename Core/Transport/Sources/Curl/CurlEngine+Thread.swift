import Dispatch

#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  extension CurlEngine {
    /// Starts the engine's thread, which retains the engine until it ends. `Thread` belongs to the full Foundation.
    ///
    /// - Returns: whether the system could start it.
    func startThread() -> Bool {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      defer { pthread_attr_destroy(&attributes) }
      pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
      var thread = pthread_t()
      let engine = Unmanaged.passRetained(self)
      let code = pthread_create(
        &thread, &attributes,
        { engine in
          if let engine { CurlLoop(Unmanaged<CurlEngine>.fromOpaque(engine).takeRetainedValue()).run() }
          return nil
        }, engine.toOpaque())
      if code != 0 { engine.release() }
      return code == 0
    }
  }
#endif
