public import Foundation

/// Keeps a session across launches: bytes that hold who is signed in and the tokens that prove it, so they are secret.
///
/// Auth brings its own. An app that keeps sessions elsewhere brings a component:
///
/// ```swift
/// struct Vault: ComponentSource {
///   var components: [AnyComponent] { Component((any SessionStore).self) { _ in VaultSessionStore() } }
/// }
/// try App.configure(sources: [Vault()])
/// ```
///
/// The contract, for implementers: calls come one at a time, on a thread that may block. Several processes may keep the
/// same session; a change is atomic among them. What can't be read is an error, never "nothing", and nothing overwrites
/// it. Errors don't repeat what is kept.
public protocol SessionStore: Sendable {
  /// Where the session is, for messages.
  var location: String { get }

  /// What is kept; `nil` when nothing is.
  ///
  /// - Throws: when something may be kept, but can't be read.
  func load() throws -> Data?

  /// Changes what is kept to what `change` makes of it; `nil` removes it. When this returns, it is durable. When it
  /// throws, what was kept still is.
  ///
  /// - Parameter change: throws when it can't make anything of what is kept; that error is thrown on.
  func update(_ change: (Data?) throws -> Data?) throws

  /// Moves something unreadable out of the way, so that a session can be kept again.
  func setAside() throws
}
