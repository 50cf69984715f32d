import TenonStoreEngine

extension Store {
  /// Receives each rejection of a write by the remote that no caller has received as an error, for example to
  /// tell the user; `nil` by default.
  ///
  /// ```swift
  /// store.onRejectedWrite = { rejected in
  ///   show(rejected.error.message)
  ///   try? await store.dismissRejectedWrite(rejected.id)
  /// }
  /// ```
  ///
  /// Without a function, each such rejection is logged as a warning that names the documents and the reason.
  /// In either case ``rejectedWrites`` lists it until the app dismisses it.
  ///
  /// A caller receives a rejection if it waits for ``WriteConfirmation/confirmed()``, if the call that wrote
  /// waits for the remote (``StoreSettings/writes``), or if the write is a transaction that waits. All others
  /// come here: those of writes whose ``WriteConfirmation`` was released without waiting, of callers that
  /// were cancelled while they waited, and of earlier launches. A rejection comes once, one after the other,
  /// on no particular actor; a closure that is isolated to the main actor is called there. If several
  /// processes use the database, both the one that sends a write and the one that made it report its
  /// rejection.
  ///
  /// Set it before the database is used, because queued writes of earlier launches are sent from then on. It
  /// belongs to this object, and isn't kept when the database is terminated.
  public var onRejectedWrite: (@Sendable (RejectedWrite) async -> Void)? {
    get { engine.unawaitedRejections.handler }
    set { engine.unawaitedRejections.handler = newValue }
  }
}
