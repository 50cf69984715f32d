import TenonDocuments
import TenonStoreInterop

/// The closures of ``Embedded/onDocumentAccess(_:)`` and ``Embedded/onCollectionGroupAccess(_:_:)``.
struct DocumentClosures: DocumentAuthorizer {
  /// Returns whether an access is allowed.
  typealias Decision = @Sendable (DocumentAccess) -> Bool

  /// The closure for documents and collections; `nil` to allow all access to them.
  var documents: Decision?
  /// The closures for collection groups by their IDs.
  var groups: [String: Decision] = [:]

  /// Whether there are no closures.
  var isEmpty: Bool { documents == nil && groups.isEmpty }

  var dependsOnlyOnDocuments: Bool { false }

  func refusal(of request: DocumentRequest, _ documents: DocumentStates) -> StoreRemoteError? {
    let access = DocumentAccess(request)
    let allows: Bool
    if case .collectionGroup(let id, _) = access.target {
      // The closure for documents isn't asked: a condition about paths can't mean all collections of a name.
      allows = groups[id].map { $0(access) } ?? (self.documents == nil)
    } else {
      allows = self.documents.map { $0(access) } ?? true
    }
    return allows ? nil : access.refusal
  }
}

extension DocumentAccess {
  /// Creates the access of a request.
  fileprivate init(_ request: DocumentRequest) {
    auth = request.caller.auth
    database = request.database
    switch request.action {
    case .get(let path, let document):
      operation = .get
      target = .document(path.text)
      self.document = document?.fields
      newDocument = nil
    case .list(let query):
      operation = .list
      target =
        query.allDescendants
        ? .collectionGroup(query.collectionID, under: query.parent.text)
        : .collection(query.parent.appending(query.collectionID).text)
      document = nil
      newDocument = nil
    case .write(let method, let step):
      operation =
        switch method {
        case .create: .create
        case .update: .update
        case .delete: .delete
        }
      target = .document(step.path.text)
      document = step.before?.fields
      newDocument = step.after.fields
    }
  }

  /// The error of an access that isn't allowed, which names the user, the operation and the target.
  fileprivate var refusal: StoreRemoteError {
    let user = auth.map { "the user \($0.uid)" } ?? "users who aren't signed in"
    var message =
      "The rules of the embedded backend don't allow \(user) to \(operation.rawValue) \(target.description)."
    if case .collectionGroup(let id, _) = target {
      message +=
        " A collection group is denied unless onCollectionGroupAccess(\"\(id.prefix(100))\") allows it."
    }
    return StoreRemoteError(.permissionDenied, message)
  }
}

extension DocumentAccess.Target {
  /// The target as the object of a sentence.
  fileprivate var description: String {
    switch self {
    case .document(let path), .collection(let path): path
    case .collectionGroup(let id, ""): "the collection group \(id)"
    case .collectionGroup(let id, let parent): "the collection group \(id) under \(parent)"
    }
  }
}
