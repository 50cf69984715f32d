public import TenonValues

/// An attempt to read or write documents of the embedded backend, for ``Embedded/onDocumentAccess(_:)``.
public struct DocumentAccess: Sendable {
  /// A kind of access, as in Firestore's security rules
  /// (https://firebase.google.com/docs/firestore/security/rules-structure#granular_operations).
  public struct Operation: RawRepresentable, Sendable, Hashable {
    /// The kind as text, for example `get`.
    public let rawValue: String

    /// Creates a kind from its text. Later versions may have kinds that this one doesn't declare.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reading one document, once or with a listener.
    public static let get = Operation(rawValue: "get")
    /// Reading the results of a query, once or with a listener.
    public static let list = Operation(rawValue: "list")
    /// Writing a document that doesn't exist, or that must not exist by the precondition of the write.
    public static let create = Operation(rawValue: "create")
    /// Changing a document that exists, or that must exist by the precondition of the write.
    public static let update = Operation(rawValue: "update")
    /// Deleting a document.
    public static let delete = Operation(rawValue: "delete")
  }

  /// What is read or written. The three kinds are apart: a condition about the path of a collection doesn't
  /// hold for a group of collections.
  public enum Target: Sendable, Hashable {
    /// A document, by its path.
    case document(String)
    /// The documents of one collection, by its path. For a subcollection, the path contains its document, as
    /// in `users/ann/notes`.
    case collection(String)
    /// The documents of all collections with an ID, for example of every user's `notes`, under a document, or
    /// in the whole database if the path is empty. Only the closures of
    /// ``Embedded/onCollectionGroupAccess(_:_:)`` receive it.
    case collectionGroup(String, under: String)
  }

  /// The kind of access.
  public let operation: Operation
  /// The signed-in user; `nil` if no user is signed in.
  public let auth: RequestAuth?
  /// The ID of the database, for example `(default)`.
  public let database: String
  /// What is read or written: a document, a collection, or a group of collections.
  public let target: Target
  /// The fields of the document before the access; `nil` if the document doesn't exist, and for queries.
  public let document: Fields?
  /// The fields of the document after the access; `nil` if the document is deleted or only read.
  public let newDocument: Fields?

  /// The path of the document or the collection. For a collection group, a text that is no path, such as
  /// `**/notes`, or `users/ann/**/notes` under a document.
  public var path: String {
    switch target {
    case .document(let path), .collection(let path): path
    case .collectionGroup(let id, ""): "**/\(id)"
    case .collectionGroup(let id, let parent): "\(parent)/**/\(id)"
    }
  }
}

extension Embedded {
  /// Sets a closure that decides which documents users can read and write. Without one, all access is
  /// allowed.
  ///
  /// ```swift
  /// embedded.onDocumentAccess { access in
  ///   access.operation == .get || access.newDocument?["owner"]?.stringValue == access.auth?.uid
  /// }
  /// ```
  ///
  /// Access that isn't allowed fails with `permission-denied`, before anything else is looked at: the
  /// preconditions of a write reveal nothing to callers who may not make it. As with Firestore's security
  /// rules, a query is allowed or denied as a whole. Queries of collection groups are denied unless
  /// ``onCollectionGroupAccess(_:_:)`` allows them; this closure isn't asked about them. Administrators
  /// (``documents(database:)``, and requests with `Bearer owner`) aren't checked; if there is a closure, only
  /// they can list the IDs of collections and clear a database.
  ///
  /// A listener is checked when it is attached, again before each change that it receives, and when the
  /// closure is replaced; if it isn't allowed any longer, it ends with `permission-denied`. The user is that
  /// of the ID token of the Auth product, if it is linked, or of the request's ID token. A listener or write
  /// stream keeps the user with whom it was opened, until the token expires: then it ends with
  /// `unauthenticated`, after which clients open another one. The closure applies to the app of this backend
  /// only: other apps that share the directory have their own.
  ///
  /// - Parameter allows: returns whether an access is allowed. It is called while the database is in use, so
  ///   it must not block. `nil` allows all access.
  public func onDocumentAccess(_ allows: (@Sendable (DocumentAccess) -> Bool)?) {
    documentRules.change { $0.documents = allows }
    reviewListeners()
  }

  /// Sets a closure that decides who can query a collection group: the documents of all collections with an
  /// ID, wherever they are.
  ///
  /// ```swift
  /// embedded.onCollectionGroupAccess("comments") { access in
  ///   (try? access.auth?.claim("moderator", as: Bool.self)) == true
  /// }
  /// ```
  ///
  /// If there is a closure of ``onDocumentAccess(_:)``, groups without a separate closure are denied.
  /// Without either, all access is allowed. Listeners and aggregations are queries, too.
  ///
  /// - Parameters:
  ///   - id: the ID of the collections.
  ///   - allows: returns whether an access is allowed, whose ``DocumentAccess/target`` is a collection group.
  ///     It is called while the database is in use, so it must not block. `nil` removes the closure.
  public func onCollectionGroupAccess(
    _ id: String, _ allows: (@Sendable (DocumentAccess) -> Bool)?
  ) {
    documentRules.change { $0.groups[id] = allows }
    reviewListeners()
  }

  /// Ends the targets of listeners that the rules no longer allow.
  func reviewListeners() {
    Task { [documentProjects] in await documentProjects.reviewListeners() }
  }
}
