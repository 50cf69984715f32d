import TenonDocuments
public import TenonStoreInterop

/// What somebody wants to do with documents of the embedded backend.
public struct DocumentAccess: Sendable {
  /// A kind of access, as security rules of Firestore tell them apart.
  public struct Operation: RawRepresentable, Sendable, Hashable {
    /// The kind as text.
    public let rawValue: String

    /// Creates a kind that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// One document is read, once or for as long as somebody listens.
    public static let get = Operation(rawValue: "get")
    /// A query is read.
    public static let list = Operation(rawValue: "list")
    /// A document comes into being.
    public static let create = Operation(rawValue: "create")
    /// A document that exists is changed.
    public static let update = Operation(rawValue: "update")
    /// A document is deleted.
    public static let delete = Operation(rawValue: "delete")
  }

  /// What is wanted.
  public let operation: Operation
  /// Who wants it; `nil` when nobody is signed in.
  public let auth: CallableAuth?
  /// The database's id, `(default)` for the default one.
  public let database: String
  /// The document's path. Of a query it is the collection's path, and for a collection group the group's id.
  public let path: String
  /// The document's content before; `nil` when there is no document, and for queries.
  public let document: Fields?
  /// The document's content after; `nil` when it is deleted or only read.
  public let newDocument: Fields?
}

extension Embedded {
  /// Decides who may read and write documents; without it everybody may.
  ///
  /// ```swift
  /// embedded.onDocumentAccess { access in
  ///   access.operation == .get || access.newDocument?["owner"]?.stringValue == access.auth?.uid
  /// }
  /// ```
  ///
  /// What isn't allowed is refused with `permission-denied`. As with Firestore's rules, a query is allowed or refused as a
  /// whole; a listening is asked for when it begins, and a write after its preconditions. Administrators (``documents(database:)``) aren't asked. Users are known
  /// by the ID token of the Auth product, where it is linked; a stream keeps the user with whom it was opened. It decides for
  /// the app of this backend: others that share its directory have rules of their own.
  ///
  /// - Parameter allows: decides, between two other requests to the database: it must not wait. `nil` allows everything.
  public func onDocumentAccess(_ allows: (@Sendable (DocumentAccess) -> Bool)?) {
    documentRules.replace(with: allows)
  }
}
