public import TenonCore
import TenonTransportInterop

/// The library of the embedded backend.
public enum EmbeddedLibrary: Library {
  /// `tenon-embedded`
  public static let name = "tenon-embedded"
  /// The version of this library.
  public static let version = SemanticVersion(0, 1, 0)
  /// The embedded backend.
  public static let backends: [AppBackend.Kind] = [.embedded]

  /// ``Embedded``, which answers as the app's `TransportInterop`.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(Embedded.self) { context in try Embedded(app: context.app, logger: context.logger) }
      .providing((any TransportInterop).self) { $0 }
      .onDelete { await $0.close() }
  }
}
