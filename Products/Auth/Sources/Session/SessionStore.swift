/// Keeps a session across launches.
///
/// The contract: calls come one at a time and may block. Several processes may keep the same session; a change is
/// atomic among them. What can't be read is an error, never "nobody", and nothing overwrites it.
protocol SessionStore: Sendable {
  /// The kept session; `nil` when nobody is signed in.
  func load() throws -> StoredSession?

  /// Changes what is kept to what `change` makes of it. When this returns, it is durable.
  func update(_ change: (StoredSession?) -> StoredSession?) throws

  /// Moves something unreadable out of the way, so that a session can be kept again.
  func setAside() throws
}
