public import TenonFoundation

/// Stores a session across launches: data that contains the user and their tokens, and is therefore secret.
///
/// Auth has its own stores (see ``Auth``). An app that stores sessions elsewhere provides a component:
///
/// ```swift
/// struct Vault: ComponentSource {
///   var components: [AnyComponent] { Component((any SessionStore).self) { _ in VaultSessionStore() } }
/// }
/// try App.configure(sources: [Vault()])
/// ```
///
/// The contract, for implementers:
/// - Calls are made one at a time. The first ``load()`` is made on the thread that creates `Auth`, which may
///   be the main thread, so it should take no longer than reading a small file; all other calls are made on a
///   thread that may block.
/// - Several processes may share a session; changes are atomic among them.
/// - Content that can't be read is an error, never `nil`, and isn't overwritten. Auth verifies the content
///   itself, so a store doesn't need to recognize damage.
/// - Errors don't quote the content.
public protocol SessionStore: Sendable {
  /// Where the session is stored, for example a path, for error messages.
  var location: String { get }

  /// Returns the stored content; `nil` if there is none.
  ///
  /// - Throws: an error if there may be content that can't be read.
  func load() throws -> Data?

  /// Replaces the content with the result of `change`; `nil` removes it. The change is durable when this
  /// returns; if this throws, the content is as before.
  ///
  /// - Parameter change: receives the current content. This function rethrows its error.
  func update(_ change: (Data?) throws -> Data?) throws

  /// Moves content that can't be used aside, so that a session can be stored again.
  func setAside() throws
}

/// What Auth needs beyond the contract, which its own stores do better than any other can.
protocol WatchableSessionStore: SessionStore {
  /// Notes whose session the surrounding call of ``SessionStore/update(_:)`` removes.
  func noteRemoval(of uid: String)

  /// Returns whether the last session was removed, and was that of a user. This is cheap, so that it may be
  /// called often.
  func isRemoved(_ uid: String) -> Bool

  /// Moves the content aside if `condition` is `true` for it, as one step among processes.
  func setAside(if condition: (Result<Data?, any Error>) -> Bool) throws
}
