import TenonCore
import TenonStoreEngine
import TenonStoreInterop

/// Selects the remote of an app's databases when it is first needed.
struct SelectedRemote: Sendable {
  /// The component that takes the place of the contributed remotes; `nil` without one.
  let own: Provider<(any StoreRemote)?>
  /// The remotes of the linked libraries. Those that don't serve the app's backend decline and are left out.
  let contributed: Provider<[any StoreRemote]>

  /// Returns the remote; `nil` if no linked library provides one for the app's backend.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/failedPrecondition`` if several libraries contribute
  ///   one, because documents must not be divided among them; the error of the container if one can't be
  ///   created.
  func get() throws -> (any StoreRemote)? {
    if let own = try own.get() { return own }
    let contributed = try contributed.get()
    guard contributed.count > 1 else { return contributed.first }
    let types = contributed.map { String(reflecting: type(of: $0)) }.joined(separator: " and ")
    throw StoreError(
      .failedPrecondition,
      "Several linked libraries offer a remote for the app's backend: \(types). Link one of them, or select one with a "
        + "component: Component((any StoreRemote).self) { … }.")
  }
}
