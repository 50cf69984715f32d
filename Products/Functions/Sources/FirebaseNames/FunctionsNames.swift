// Names of firebase-ios-sdk. They don't compile: the compiler says what to write instead. Where the SDK can
// be imported, they are left to it. For code that compiles without them, the compiler doesn't consider them.
#if !canImport(FirebaseFunctions)
  public import TenonCore

  extension Functions {
    /// Unavailable: the emulator is an option of the app.
    @available(
      *, unavailable,
      message: """
        The emulator is an option of the app: try App.configure(options: AppOptions(projectID: …, backend: \
        .emulator(EmulatorHosts(functions: "127.0.0.1:5001")))).
        """
    )
    public func useEmulator(withHost host: String, port: Int) { unavailable() }

    /// Unavailable: the app is known where the instance is made.
    @available(*, unavailable, message: "Keep the app that you pass to Functions.functions(app: …).")
    public var app: App { unavailable() }
  }

  extension HTTPSCallable {
    /// Unavailable: calls are asynchronous.
    @available(
      *, unavailable,
      message:
        "Calls are asynchronous: let result = try await callable.call(data), in a Task { … } if need be."
    )
    public func call(_ data: Any? = nil, completion: (HTTPSCallableResult?, (any Error)?) -> Void) {
      unavailable()
    }
  }

  extension Callable {
    /// Unavailable: calls are asynchronous.
    @available(
      *, unavailable,
      message:
        "Calls are asynchronous: let response = try await callable(request), in a Task { … } if need be."
    )
    public func call(_ data: Request, completion: (Result<Response, any Error>) -> Void) { unavailable() }
  }
#endif
