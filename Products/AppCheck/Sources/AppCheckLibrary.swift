import TenonAppCheckInterop
public import TenonCore
import TenonFoundation
import TenonObservabilityInterop
import TenonTelemetry
import TenonTransportInterop

/// The library of App Check, whose components an app adopts when the library is linked.
public enum AppCheckLibrary: Library {
  /// The name of the library, `tenon-app-check`, which also names its directory and the source of its log
  /// entries.
  public static let name = "tenon-app-check"
  /// The version of this library.
  public static let version = SemanticVersion(0, 2, 0)

  /// ``AppCheck``, which is also provided to other products as `AppCheckInterop`, if there is a provider.
  /// When the app is deleted, the streams end and the automatic refresh stops.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      AppCheck.self,
      needs: .optional((any AppCheckProvider).self),
      .optional((any TransportInterop).self),
      .optional((any ObservabilityInterop).self)
    ) { context, provider, transport, observability in
      let app = try context.app
      let telemetry = Telemetry(source: name, observability: observability)
      let provider = try provider ?? defaultProvider(app, transport: transport, telemetry: telemetry)
      return try AppCheck(app: app, provider: provider, telemetry: telemetry)
    }
    .providing((any AppCheckInterop).self) { AttestedApp(keeper: $0.keeper) }
    .onDelete { await $0.keeper.close() }
  }

  /// The project, after which the directory of its tokens is named, if the options name no other place. What
  /// else is required depends on the provider; without it, there is no App Check.
  public static func requiredOptions(with options: AppOptions) -> [AppOption] {
    options.storesByProject ? [.projectID] : []
  }

  // Declared in the file of the type, so that a reference to the library also links its registration, even
  // from an archive with one object per file (R13).
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(AppCheckLibrary.self) }
}

extension AppCheckLibrary {
  /// Returns the provider of an app that has none: the debug provider on the embedded backend, and on other
  /// backends if the environment contains a debug token.
  ///
  /// - Parameters:
  ///   - app: the app.
  ///   - transport: sends requests; the platform's HTTP client if `nil`.
  ///   - telemetry: receives a message about a debug token that was created; nothing by default.
  ///   - token: the debug token; by default, the one of the environment.
  /// - Throws: `ComponentUnavailable` if there is no debug token, or the options lack what the provider
  ///   requires.
  static func defaultProvider(
    _ app: AppContext,
    transport: (any TransportInterop)?,
    telemetry: Telemetry = .silent,
    debugToken token: Secret? = DebugToken.given()
  ) throws -> any AppCheckProvider {
    guard app.options.backend.kind == .embedded || token != nil else {
      throw ComponentUnavailable(
        "The app \"\(app.name)\" has no App Check provider, so its requests carry no App Check token. Pass one to "
          + "App.configure(sources:), for example CustomAppCheckProvider { … } or AppCheckDebugProviderFactory()."
      )
    }
    do {
      return try AppCheckDebugProvider(app: app, transport: transport, token: token, telemetry: telemetry)
    } catch let error as AppCheckError {
      // The app didn't request this provider, so missing options must not break the app.
      throw ComponentUnavailable(error.message)
    }
  }
}
