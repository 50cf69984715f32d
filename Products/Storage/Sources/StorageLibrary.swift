import TenonAppCheckInterop
import TenonAuthInterop
public import TenonCore
import TenonStorageInterop
import TenonTransportInterop

/// The library of objects.
public enum StorageLibrary: Library {
  /// `tenon-storage`
  public static let name = "tenon-storage"
  /// The version of this library.
  public static let version = SemanticVersion(0, 1, 0)

  /// The buckets of an app, which other products find as `StorageInterop`.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StorageInstances.self,
      needs: .optional((any AuthInterop).self),
      .optional((any AppCheckInterop).self),
      .optional((any TransportInterop).self)
    ) { context, auth, appCheck, transport in
      try StorageInstances(app: context.app, auth: auth, appCheck: appCheck, transport: transport)
    }
    .providing((any StorageInterop).self) { StorageAccess(instances: $0) }
  }
}
