import TenonAuthInterop
public import TenonCore
import TenonStoreInterop

/// The library of documents.
public enum StoreLibrary: Library {
  /// `tenon-store`
  public static let name = "tenon-store"
  /// The version of this library.
  public static let version = SemanticVersion(0, 1, 0)

  /// The databases of an app.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StoreInstances.self, needs: .optional((any AuthInterop).self), .optional((any StoreRemote).self)
    ) { context, auth, remote in
      StoreInstances(
        directory: try context.app.directory(for: name), auth: auth, remote: remote, logger: context.logger)
    }
    .onDelete { await $0.close() }
  }
}
