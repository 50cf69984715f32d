import TenonDocuments
import TenonRules
import TenonStoreInterop

/// Decides which requests for documents are allowed: closures, or rules in another form.
protocol DocumentAuthorizer: Sendable {
  /// Whether a decision depends on nothing but the request and the documents that are read for it. Otherwise
  /// listeners are asked about again whenever a document changes.
  var dependsOnlyOnDocuments: Bool { get }

  /// Returns why a request isn't allowed; `nil` if it is.
  ///
  /// It is called while the database is in use, before the preconditions of writes are checked, and never for
  /// administrators.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - documents: the documents, which can be read only during the call.
  /// - Throws: the errors of reading the documents.
  func refusal(
    of request: DocumentRequest, _ documents: DocumentStates
  ) throws -> StoreRemoteError?
}

/// What a caller wants to do with documents.
struct DocumentRequest: Sendable {
  /// A single document, a query, or a write.
  enum Action: Sendable {
    /// Reading a document; `nil` if it doesn't exist.
    case get(ResourcePath, RemoteDocument?)
    /// Reading the result of a query, or aggregations over it.
    case list(StructuredQuery)
    /// A write: the document before and after it. A write of a batch sees the results of those before it.
    case write(Method, DocumentTransition)
  }

  /// The kind of a write.
  enum Method: Sendable {
    case create, update, delete

    /// Returns the kind of a write. A precondition decides about it, and not the document, so that a caller
    /// who may only create or only update documents can't use a precondition to find out whether one exists.
    init(of write: DocumentWrite, _ step: DocumentTransition) {
      switch (write.operation, write.precondition) {
      case (.delete, _): self = .delete
      case (_, .exists(false)?): self = .create
      case (_, .exists(true)?), (_, .updated?): self = .update
      case (_, nil): self = step.before == nil ? .create : .update
      }
    }
  }

  /// What the caller wants to do.
  let action: Action
  /// The caller, who isn't an administrator.
  let caller: Caller
  /// The ID of the database.
  let database: String
  /// The time of the request.
  let time: Timestamp
}

/// The documents of a database while a request is decided: one value for all documents that a request reads,
/// and for all writes of a commit.
final class DocumentStates {
  /// The documents before the request.
  private let history: any DocumentHistory
  /// The documents that the request writes, after all of its writes.
  private let changed: [ResourcePath: RemoteDocument]
  /// The documents that were read to decide about the request.
  private(set) var readPaths: Set<ResourcePath> = []
  /// What the rules know of them. All operations of the request share it, and its limit.
  var known = KnownDocuments()

  /// Creates the documents of a request.
  ///
  /// - Parameters:
  ///   - history: the documents before it.
  ///   - changed: the documents that it writes, after all of its writes.
  init(reading history: any DocumentHistory, writing changed: [ResourcePath: RemoteDocument] = [:]) {
    (self.history, self.changed) = (history, changed)
  }

  /// Returns a document; `nil` if it doesn't exist.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - isAfterWrites: whether its state after all writes of the request is meant.
  func document(_ path: ResourcePath, isAfterWrites: Bool) throws -> RemoteDocument? {
    readPaths.insert(path)
    guard isAfterWrites, let document = changed[path] else { return try history.document(path) }
    return document.fields == nil ? nil : document
  }
}
