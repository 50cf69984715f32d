import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The caller of an operation on documents.
enum DocumentCaller: Sendable {
  /// An administrator, for whom the rules aren't checked.
  case administrator
  /// An app, with its user if one is signed in.
  case client(RequestAuth?)

  /// The ID of the user; `nil` if no user is signed in, and for administrators.
  var user: String? {
    if case .client(let auth) = self { auth?.uid } else { nil }
  }
}

/// The rules of an app, which allow or deny access to documents.
final class DocumentRules: Sendable {
  /// The closure of ``Embedded/onDocumentAccess(_:)``.
  private let decision = Lock<(@Sendable (DocumentAccess) -> Bool)?>(nil)

  /// Replaces the closure; `nil` allows all access.
  func replace(with allows: (@Sendable (DocumentAccess) -> Bool)?) { decision.withLock { $0 = allows } }

  /// Checks that a caller may read a document.
  ///
  /// - Parameters:
  ///   - path: the path of the document.
  ///   - document: the document; `nil` if it doesn't exist.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  /// - Throws: `StoreRemoteError` with `permissionDenied`.
  func checkGet(
    _ path: ResourcePath, _ document: RemoteDocument?, _ database: String, _ caller: DocumentCaller
  ) throws(StoreRemoteError) {
    try check(caller) { auth in
      DocumentAccess(
        operation: .get, auth: auth, database: database, path: path.text, document: document?.fields,
        newDocument: nil)
    }
  }

  /// Checks that a caller may run a query.
  ///
  /// - Throws: `StoreRemoteError` with `permissionDenied`.
  func checkList(
    _ query: StructuredQuery, _ database: String, _ caller: DocumentCaller
  ) throws(StoreRemoteError) {
    let path = query.allDescendants ? query.collectionID : query.parent.appending(query.collectionID).text
    try check(caller) { auth in
      DocumentAccess(
        operation: .list, auth: auth, database: database, path: path, document: nil, newDocument: nil)
    }
  }

  /// Checks that a caller may read all IDs of collections, or delete a database, for which there is no kind
  /// of access.
  ///
  /// - Throws: `StoreRemoteError` with `permissionDenied` for users if there are rules.
  func checkAdministration(_ caller: DocumentCaller) throws(StoreRemoteError) {
    guard case .client = caller, decision.withLock({ $0 }) != nil else { return }
    throw StoreRemoteError(
      .permissionDenied, "The rules of the embedded backend allow only administrators to do this.")
  }

  /// Checks that a caller may make a write.
  ///
  /// - Parameters:
  ///   - step: the document before and after the write.
  ///   - database: the ID of the database.
  ///   - caller: the caller.
  /// - Throws: `StoreRemoteError` with `permissionDenied`.
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

  /// Checks an access. The closure isn't called for administrators.
  ///
  /// - Parameters:
  ///   - caller: the caller.
  ///   - access: creates the access for the user of the caller.
  /// - Throws: `StoreRemoteError` with `permissionDenied`, whose message names the user, the operation and
  ///   the path.
  private func check(
    _ caller: DocumentCaller, _ access: (RequestAuth?) -> DocumentAccess
  ) throws(StoreRemoteError) {
    guard case .client(let auth) = caller, let allows = decision.withLock({ $0 }) else { return }
    let access = access(auth)
    guard !allows(access) else { return }
    throw StoreRemoteError(
      .permissionDenied,
      "The rules of the embedded backend don't allow \(auth.map { "the user \($0.uid)" } ?? "users who aren't signed in") to "
        + "\(access.operation.rawValue) \(access.path)."
    )
  }
}
