import TenonAuthInterop
public import TenonCore
import TenonStorageInterop
import TenonStoreInterop

extension StoreLibrary {
  /// The components of the library: the databases of an app, which are closed when the app is deleted.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(
      StoreInstances.self, needs: .optionalProvider((any AuthInterop).self),
      .optionalProvider((any StoreRemote).self), .optionalProvider((any StorageInterop).self)
    ) { context, auth, remote, storage in
      StoreInstances(
        directory: try context.app.directory(for: name), backend: try context.app.options.backend.kind,
        auth: auth, remote: remote, storage: storage, logger: context.logger)
    }
    .onDelete { await $0.close() }
  }
}
