import TenonDocuments
import TenonJSON
import TenonStoreInterop
import TenonValues

/// An index, as clients define it (`google.firestore.admin.v1.Index`). Queries don't need it.
enum IndexDefinition {
  /// The names of enumerations, in the order of their numbers from 1 on.
  private static let scopes = ["COLLECTION", "COLLECTION_GROUP"]
  private static let orders = ["ASCENDING", "DESCENDING"]
  private static let arrays = ["CONTAINS"]

  /// Returns the name of an enumeration's value, which some clients send as its number; `nil` for others.
  private static func choice(_ json: JSON?, _ names: [String]) -> String? {
    if let text = json?.string { return names.contains(text) ? text : nil }
    let number = json?.integer
    return zip(Int64(1)..., names).first { $0.0 == number }?.1
  }

  /// Returns an index with what Firestore adds to it.
  ///
  /// - Parameters:
  ///   - json: the index.
  ///   - name: its name.
  /// - Throws: `StoreRemoteError` with `invalidArgument` for one that isn't valid, and `unimplemented` for one
  ///   that would change what clients can do.
  static func checked(_ json: JSON, name: String) throws(StoreRemoteError) -> JSON {
    guard let scope = choice(json["queryScope"], scopes) else {
      throw StoreRemoteError(
        .invalidArgument, "The queryScope of an index is COLLECTION or COLLECTION_GROUP.")
    }
    if json["unique"]?.bool == true || json["searchIndexOptions"] != nil {
      throw StoreRemoteError(
        .unimplemented, "The embedded backend has neither unique indexes nor indexes for searching.")
    }
    if let other = json["apiScope"], !["ANY_API", 0].contains(other) {
      throw StoreRemoteError(.unimplemented, "The embedded backend has no indexes for other APIs (apiScope).")
    }
    let fields = json["fields"]?.array ?? []
    guard (1...100).contains(fields.count) else {
      throw StoreRemoteError(.invalidArgument, "An index has 1 to 100 fields.")
    }
    var checked: [JSON] = []
    for field in fields { checked.append(try self.checked(field)) }
    let path = JSON.string(FieldPath.documentName.text)
    if !checked.contains(where: { $0["fieldPath"] == path }) {
      let last = checked.last
      let order = last?["order"] ?? "ASCENDING"
      let field: JSON = ["fieldPath": path, "order": order]
      // The vector is always the last field.
      checked.insert(field, at: last?["vectorConfig"] == nil ? checked.count : checked.count - 1)
    }
    return [
      "name": .string(name), "queryScope": .string(scope), "fields": .array(checked), "state": "READY",
    ]
  }

  private static func checked(_ field: JSON) throws(StoreRemoteError) -> JSON {
    guard let text = field["fieldPath"]?.string, let path = FieldPath(wire: text) else {
      throw StoreRemoteError(
        .invalidArgument, "A field of an index has no fieldPath that is the path of a field.")
    }
    var members: [String: JSON] = ["fieldPath": .string(path.text)]
    if field["searchConfig"] != nil {
      throw StoreRemoteError(.unimplemented, "The embedded backend has no indexes for searching.")
    }
    for (member, names) in [("order", orders), ("arrayConfig", arrays)] {
      guard let value = field[member] else { continue }
      guard let name = choice(value, names) else { throw mode(path) }
      members[member] = .string(name)
    }
    if let vector = field["vectorConfig"] {
      guard let size = vector["dimension"]?.integer, (1...2_048).contains(size) else {
        throw StoreRemoteError(
          .invalidArgument, "The dimension of the vector \(path.text) isn't a number from 1 to 2048.")
      }
      members["vectorConfig"] = ["dimension": .int(size), "flat": [:]]
    }
    guard members.count == 2 else { throw mode(path) }
    return .object(members)
  }

  private static func mode(_ path: FieldPath) -> StoreRemoteError {
    StoreRemoteError(
      .invalidArgument,
      "The field \(path.text) of the index has not exactly one of order, arrayConfig and vectorConfig, with a value that exists."
    )
  }

  /// Returns what two indexes of a collection group may not share.
  static let identity: @Sendable (JSON) -> JSON = { index in
    .members(["queryScope": index["queryScope"], "fields": index["fields"]])
  }
}

/// The settings of a field (`google.firestore.admin.v1.Field`), which change nothing for queries.
enum FieldDefinition {
  /// Returns the settings of a field that has none.
  static func inherited(_ name: String, _ call: AdministrationCall) -> JSON {
    let ancestor = call.name("__default__", "fields", "*")
    let modes: [(String, JSON)] = [
      ("order", "ASCENDING"), ("order", "DESCENDING"), ("arrayConfig", "CONTAINS"),
    ]
    let path = name == ancestor ? "*" : String(name.split(separator: "/").last ?? "")
    let indexes = modes.map { member, mode -> JSON in
      [
        "queryScope": "COLLECTION", "state": "READY",
        "fields": [.object(["fieldPath": .string(path), member: mode])],
      ]
    }
    guard name != ancestor else {
      return ["name": .string(name), "indexConfig": ["indexes": .array(indexes)]]
    }
    return [
      "name": .string(name),
      "indexConfig": [
        "indexes": .array(indexes), "usesAncestorConfig": true, "ancestorField": .string(ancestor),
      ],
    ]
  }

  /// Returns the settings in a request; `nil` to remove those of the field.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` for settings that aren't valid, and `unimplemented`
  ///   for the expiry of documents.
  static func checked(
    _ json: JSON, name: String, _ call: AdministrationCall
  ) throws(StoreRemoteError) -> JSON? {
    let mask = (call.query["updateMask"] ?? "").split(separator: ",").map { String($0).lowerCamelCased }
    guard mask.allSatisfy({ ["indexConfig", "ttlConfig", "name"].contains($0.prefix { $0 != "." }) }) else {
      throw StoreRemoteError(
        .invalidArgument, "The updateMask of a field consists of indexConfig and ttlConfig.")
    }
    if json["ttlConfig"] != nil || mask.contains("ttlConfig") {
      throw StoreRemoteError(
        .unimplemented, "The embedded backend doesn't delete documents that expire (ttlConfig).")
    }
    guard let config = json["indexConfig"], config["reverting"]?.bool != true else { return nil }
    var indexes: [JSON] = []
    for index in config["indexes"]?.array ?? [] {
      let path = String(name.split(separator: "/").last ?? "")
      var members = index.object ?? [:]
      // A field's index is about the field, whose path may be left out.
      members["fields"] = .array(
        (index["fields"]?.array ?? []).map { field in
          var field = field.object ?? [:]
          field["fieldPath"] = .string(path)
          return .object(field)
        })
      var checked = try IndexDefinition.checked(.object(members), name: "").object ?? [:]
      checked["name"] = nil
      checked["fields"] = .array(
        (checked["fields"]?.array ?? []).filter { $0["fieldPath"]?.string != "__name__" })
      indexes.append(.object(checked))
    }
    return ["name": .string(name), "indexConfig": ["indexes": .array(indexes)]]
  }
}
