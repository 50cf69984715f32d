import TenonAuthInterop
public import TenonCore
import TenonStorageInterop
import TenonStoreInterop

extension StoreLibrary {
  /// The components of the library: the databases of an app, which are closed when the app is deleted.
  ///
  /// Their remote is the one that a linked library contributes for the app's backend. A component of the app itself or of a
  /// test, `Component((any StoreRemote).self) { … }`, takes its place.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StoreInstances.self, needs: .optionalProvider((any AuthInterop).self),
      .optionalProvider((any StoreRemote).self), .allProvider((any StoreRemote).self),
      .optionalProvider((any StorageInterop).self)
    ) { context, auth, remote, contributed, storage in
      StoreInstances(
        directory: try context.app.directory(for: name), backend: try context.app.options.backend.kind,
        auth: auth, remote: SelectedRemote(own: remote, contributed: contributed), storage: storage,
        logger: context.logger)
    }
    .onDelete { await $0.close() }
  }
}
