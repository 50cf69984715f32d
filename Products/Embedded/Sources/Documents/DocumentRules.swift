import TenonCore
import TenonDocuments
import TenonStoreInterop

/// Who reads or writes documents.
enum DocumentCaller: Sendable {
  /// May do everything.
  case administrator
  /// An app, with its user if one is signed in.
  case client(CallableAuth?)
}

/// Who may read and write documents.
final class DocumentRules: Sendable {
  private let decision = Lock<(@Sendable (DocumentAccess) -> Bool)?>(nil)

  func replace(with allows: (@Sendable (DocumentAccess) -> Bool)?) { decision.withLock { $0 = allows } }

  /// Refuses to show a document.
  func checkGet(
    _ path: ResourcePath, _ document: RemoteDocument?, _ database: String, _ caller: DocumentCaller
  ) throws(StoreRemoteError) {
    try check(caller) { auth in
      DocumentAccess(
        operation: .get, auth: auth, database: database, path: path.text, document: document?.fields,
        newDocument: nil)
    }
  }

  /// Refuses to answer a query.
  func checkList(
    _ query: StructuredQuery, _ database: String, _ caller: DocumentCaller
  ) throws(StoreRemoteError) {
    let path = query.allDescendants ? query.collectionID : query.parent.appending(query.collectionID).text
    try check(caller) { auth in
      DocumentAccess(
        operation: .list, auth: auth, database: database, path: path, document: nil, newDocument: nil)
    }
  }

  /// Refuses a write.
  func checkWrite(
    _ step: DocumentTransition, _ database: String, _ caller: DocumentCaller
  ) throws(StoreRemoteError) {
    let operation: DocumentAccess.Operation =
      step.after.fields == nil ? .delete : (step.before == nil ? .create : .update)
    try check(caller) { auth in
      DocumentAccess(
        operation: operation, auth: auth, database: database, path: step.path.text,
        document: step.before?.fields, newDocument: step.after.fields)
    }
  }

  private func check(
    _ caller: DocumentCaller, _ access: (CallableAuth?) -> DocumentAccess
  ) throws(StoreRemoteError) {
    guard case .client(let auth) = caller, let allows = decision.withLock({ $0 }) else { return }
    let access = access(auth)
    guard !allows(access) else { return }
    throw StoreRemoteError(
      .permissionDenied,
      "The rules of the embedded backend don't allow \(auth.map { "the user \($0.uid)" } ?? "anybody") to "
        + "\(access.operation.rawValue) \(access.path)."
    )
  }
}
