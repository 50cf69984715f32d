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
    /// Writing a document that doesn't exist.
    public static let create = Operation(rawValue: "create")
    /// Changing a document that exists.
    public static let update = Operation(rawValue: "update")
    /// Deleting a document.
    public static let delete = Operation(rawValue: "delete")
  }

  /// The kind of access.
  public let operation: Operation
  /// The signed-in user; `nil` if no user is signed in.
  public let auth: RequestAuth?
  /// The ID of the database, for example `(default)`.
  public let database: String
  /// The document's path. For a query, the path of the collection; for a collection group, the group's ID.
  public let path: String
  /// The fields of the document before the access; `nil` if the document doesn't exist, and for queries.
  public let document: Fields?
  /// The fields of the document after the access; `nil` if the document is deleted or only read.
  public let newDocument: Fields?
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
  /// Access that isn't allowed fails with `permission-denied`. As with Firestore's security rules, a query is
  /// allowed or denied as a whole. A listener is checked when it is attached, and a write after its
  /// preconditions. Administrators (``documents(database:)``, and requests with `Bearer owner`) aren't
  /// checked; if there is a closure, only they can list the IDs of collections and clear a database.
  ///
  /// The user is that of the ID token of the Auth product, if it is linked, or of the request's ID token; a
  /// listener or write stream keeps the user with whom it was opened. The closure applies to the app of this
  /// backend only: other apps that share the directory have their own.
  ///
  /// - Parameter allows: returns whether an access is allowed. It is called while the database is in use, so
  ///   it must not block. `nil` allows all access.
  public func onDocumentAccess(_ allows: (@Sendable (DocumentAccess) -> Bool)?) {
    documentRules.replace(with: allows)
  }
}
