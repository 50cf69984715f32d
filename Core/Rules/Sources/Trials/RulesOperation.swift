public import TenonStoreInterop
public import TenonValues

/// What a request that rules are tried with does, in the terms of an app.
///
/// ```swift
/// let operations: [RulesOperation] = [
///   .get("users/ann"),
///   .list("notes", where: .field(FieldPath(["owner"]), .equal, "ann"), limit: 10),
///   .update("users/ann", ["name": "Ann"]),
///   .batch([.create("pages/p/likes/ann", [:]), .update("pages/p", [:], transforms: [increment])]),
///   .createObject("avatars/ann.png", ["size": 1000, "contentType": "image/png"]),
/// ]
/// ```
public struct RulesOperation: Sendable, Hashable {
  /// What it does.
  package enum Kind: Sendable, Hashable {
    case get(String)
    case list(StructuredQuery, offset: Int)
    case write(Write, String, Fields, [FieldTransform])
    case batch([RulesOperation])
    case object(RulesMethod, String, Fields?)
  }

  /// How a write changes a document.
  package enum Write: String, Sendable, Hashable { case create, set, update, delete }

  package let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// Reads a document.
  ///
  /// - Parameter path: the document's path, for example `users/ann`.
  public static func get(_ path: String) -> RulesOperation { RulesOperation(.get(path)) }

  /// Reads the result of a query over a collection.
  ///
  /// - Parameters:
  ///   - collection: the collection's path, for example `users/ann/notes`.
  ///   - filter: the condition on documents; `nil` for all documents.
  ///   - orders: the sort keys.
  ///   - limit: the maximum number of documents; `nil` for all.
  ///   - offset: the number of documents that are skipped.
  public static func list(
    _ collection: String, where filter: QueryFilter? = nil, orderedBy orders: [QueryOrder] = [],
    limit: Int? = nil, offset: Int = 0
  ) -> RulesOperation {
    let path = ResourcePath(unchecked: collection)
    return RulesOperation(
      .list(
        StructuredQuery(
          parent: ResourcePath(segments: path.segments.dropLast()), collectionID: path.segments.last ?? "",
          filter: filter, orders: orders, limit: limit), offset: offset))
  }

  /// Reads the result of a query over all collections of an ID.
  ///
  /// - Parameters:
  ///   - id: the collections' ID, for example `notes`.
  ///   - filter: the condition on documents; `nil` for all documents.
  ///   - orders: the sort keys.
  ///   - limit: the maximum number of documents; `nil` for all.
  ///   - offset: the number of documents that are skipped.
  public static func list(
    group id: String, where filter: QueryFilter? = nil, orderedBy orders: [QueryOrder] = [],
    limit: Int? = nil, offset: Int = 0
  ) -> RulesOperation {
    RulesOperation(
      .list(
        StructuredQuery(
          parent: ResourcePath(segments: []), collectionID: id, allDescendants: true, filter: filter,
          orders: orders, limit: limit), offset: offset))
  }

  /// Creates a document, which must not exist.
  public static func create(
    _ path: String, _ fields: Fields, transforms: [FieldTransform] = []
  ) -> RulesOperation { RulesOperation(.write(.create, path, fields, transforms)) }

  /// Creates or replaces a document.
  public static func set(
    _ path: String, _ fields: Fields, transforms: [FieldTransform] = []
  ) -> RulesOperation { RulesOperation(.write(.set, path, fields, transforms)) }

  /// Changes fields of a document, which must exist, and keeps the others.
  public static func update(
    _ path: String, _ fields: Fields, transforms: [FieldTransform] = []
  ) -> RulesOperation { RulesOperation(.write(.update, path, fields, transforms)) }

  /// Deletes a document.
  public static func delete(_ path: String) -> RulesOperation {
    RulesOperation(.write(.delete, path, [:], []))
  }

  /// Writes several documents together, with which `getAfter` reads what the others have written.
  ///
  /// - Parameter writes: operations that create, set, update or delete documents.
  public static func batch(_ writes: [RulesOperation]) -> RulesOperation { RulesOperation(.batch(writes)) }

  /// Reads an object of Cloud Storage.
  public static func getObject(_ name: String) -> RulesOperation { RulesOperation(.object(.get, name, nil)) }

  /// Lists the objects of a folder.
  public static func listObjects(_ folder: String) -> RulesOperation {
    RulesOperation(.object(.list, folder, nil))
  }

  /// Uploads an object that doesn't exist.
  ///
  /// - Parameters:
  ///   - name: the object's name, for example `avatars/ann.png`.
  ///   - metadata: what `request.resource` is: `size`, `contentType`, `metadata` and so on. `name` and
  ///     `bucket` are added.
  public static func createObject(_ name: String, _ metadata: Fields) -> RulesOperation {
    RulesOperation(.object(.create, name, metadata))
  }

  /// Replaces an object, or changes its metadata.
  ///
  /// - Parameters:
  ///   - name: the object's name.
  ///   - metadata: what `request.resource` is.
  public static func updateObject(_ name: String, _ metadata: Fields) -> RulesOperation {
    RulesOperation(.object(.update, name, metadata))
  }

  /// Deletes an object.
  public static func deleteObject(_ name: String) -> RulesOperation {
    RulesOperation(.object(.delete, name, nil))
  }
}

extension RulesOperation: CustomStringConvertible {
  /// The operation in a few words, for example `update users/ann`.
  public var description: String {
    switch kind {
    case .get(let path): "get \(path)"
    case .list(let query, _):
      "list \(query.allDescendants ? "all collections " : "")"
        + (query.parent.segments + [query.collectionID]).joined(separator: "/")
    case .write(let write, let path, _, _): "\(write.rawValue) \(path)"
    case .batch(let operations): operations.map(\.description).joined(separator: ", ")
    case .object(let method, let name, _): "\(method.rawValue) object \(name)"
    }
  }
}

extension RulesUser {
  /// A user who has signed in with a password.
  ///
  /// - Parameters:
  ///   - uid: the user's ID.
  ///   - claims: further claims of the token, for example `email`. They replace those that every token has:
  ///     `sub`, `user_id`, `auth_time`, `iat`, `exp` and `firebase`.
  public static func user(_ uid: String, _ claims: Fields = [:]) -> RulesUser {
    let signedIn: Int64 = 1_700_000_000
    var token: Fields = [
      "sub": .string(uid), "user_id": .string(uid), "auth_time": .integer(signedIn),
      "iat": .integer(signedIn),
      "exp": .integer(4_000_000_000), "firebase": ["sign_in_provider": "password", "identities": [:]],
    ]
    for name in claims.names { token[name] = claims[name] }
    return RulesUser(uid: uid, claims: token)
  }
}
