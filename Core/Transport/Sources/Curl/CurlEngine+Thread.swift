#if os(Linux)
  import CTransport

  extension CurlEngine {
    /// Starts the engine's thread, which retains the engine until it ends. `Thread` belongs to the full
    /// Foundation.
    ///
    /// - Returns: whether the system could start it.
    func startThread() -> Bool {
      let engine = Unmanaged.passRetained(self)
      let code = tenon_start_thread(
        { engine in
          if let engine { CurlLoop(Unmanaged<CurlEngine>.fromOpaque(engine).takeRetainedValue()).run() }
        }, engine.toOpaque())
      if code != 0 { engine.release() }
      return code == 0
    }
  }
#endif
