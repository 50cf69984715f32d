import TenonDocuments
package import TenonFoundation
import TenonStoreInterop
package import TenonValues

/// A file of documents and requests with which rules are tried: `Integration/Rules/README.md` describes its
/// form.
package struct RulesSample: Sendable {
  /// The documents by their paths.
  package var documents: [String: Fields] = [:]
  /// The metadata of the objects by their names.
  package var objects: [String: Fields] = [:]
  /// The requests.
  package var requests: [Request] = []
  /// The queries of an app, for which the rules are checked.
  package var queries: [SecurityRules.AppQuery] = []

  /// A request with its expected verdict.
  package struct Request: Sendable {
    /// What it's about.
    package var name: String
    /// What it does.
    package var operation: RulesOperation
    /// Who asks; `nil` for nobody.
    package var user: RulesUser?
    /// Whether it should be allowed.
    package var isAllowed: Bool
  }

  /// Reads a file.
  ///
  /// - Parameter text: JSON.
  /// - Throws: ``RulesTrialError``, or `DocumentError` if it isn't JSON.
  package init(_ text: Data) throws {
    let json = try FirestoreJSON(text)
    documents = try Self.members(json["documents"], "documents").reduce(into: [:]) { documents, member in
      documents[member.key.string] = try Self.fields(member.value)
    }
    objects = try Self.members(json["objects"], "objects").reduce(into: [:]) { objects, member in
      objects[member.key.string] = try Self.fields(member.value)
    }
    let users = try Self.members(json["users"], "users").reduce(into: [String: Fields]()) { users, member in
      users[member.key.string] = try Self.fields(member.value)
    }
    requests = try (json["requests"]?.array ?? []).map { request in
      guard let isAllowed = request["allowed"]?.boolean else {
        throw RulesTrialError("A request has no \"allowed\", which is true or false.")
      }
      let operation = try operation(request)
      return Request(
        name: request["name"]?.string ?? operation.description, operation: operation,
        user: request["as"]?.string.map { .user($0, users[$0] ?? [:]) }, isAllowed: isAllowed)
    }
    queries = try (json["queries"]?.array ?? []).map { query in
      guard query["list"] != nil || query["listGroup"] != nil,
        case let operation = try operation(query), case .list(let structured, let offset) = operation.kind
      else {
        throw RulesTrialError("A query has neither \"list\" nor \"listGroup\", which name its collection.")
      }
      return SecurityRules.AppQuery(
        name: query["name"]?.string ?? operation.description,
        query: try ResolvedQuery(structured).query, offset: Int64(clamping: offset))
    }
  }

  private func operation(_ json: FirestoreJSON) throws -> RulesOperation {
    if case .array(let writes)? = json["batch"] { return .batch(try writes.map(operation)) }
    let isStorage = json["object"] != nil || !objects.isEmpty
    if let path = json["get"]?.string { return isStorage ? .getObject(path) : .get(path) }
    if let path = json["list"]?.string {
      return isStorage
        ? .listObjects(path)
        : .list(path, where: try filter(json), orderedBy: try orders(json), limit: try limit(json))
    }
    if let id = json["listGroup"]?.string {
      return .list(group: id, where: try filter(json), orderedBy: try orders(json), limit: try limit(json))
    }
    if let path = json["delete"]?.string { return isStorage ? .deleteObject(path) : .delete(path) }
    guard let path = (json["create"] ?? json["update"])?.string else {
      throw RulesTrialError(
        "A request has none of \"get\", \"list\", \"listGroup\", \"create\", \"update\", \"delete\" and \"batch\"."
      )
    }
    if let object = json["object"] {
      let fields = try Self.fields(object)
      return json["create"] == nil ? .updateObject(path, fields) : .createObject(path, fields)
    }
    guard let data = json["data"] else { throw RulesTrialError("The write to \(path) has no \"data\".") }
    var fields = Fields()
    var transforms: [FieldTransform] = []
    for (key, value) in try Self.members(data, "data") {
      let name = key.string
      if value["$serverTime"] != nil {
        transforms.append(FieldTransform(FieldPath([name]), .serverTimestamp))
      } else if let number = value["$increment"] {
        // The transform is done to what is there, so the old number is part of the new fields.
        if let old = documents[path]?[name] { fields[name] = old }
        transforms.append(FieldTransform(FieldPath([name]), .increment(try Self.value(number))))
      } else {
        fields[name] = try Self.value(value)
      }
    }
    return json["create"] == nil
      ? .set(path, fields, transforms: transforms) : .create(path, fields, transforms: transforms)
  }

  private func filter(_ json: FirestoreJSON) throws -> QueryFilter? {
    let conditions = try (json["where"]?.array ?? []).map { condition -> QueryFilter in
      let parts = condition.array
      guard parts.count == 3, let field = parts[0].string, let name = parts[1].string,
        let comparison = Self.comparisons[name]
      else { throw RulesTrialError("A condition of \"where\" isn't [\"field\", \"==\", value].") }
      return .field(
        FieldPath(field.split(separator: ".").map(String.init)), comparison, try Self.value(parts[2]))
    }
    return conditions.isEmpty ? nil : conditions.count == 1 ? conditions[0] : .and(conditions)
  }

  private func orders(_ json: FirestoreJSON) throws -> [QueryOrder] {
    try (json["orderBy"]?.array ?? []).map { order in
      guard let field = order.array.first?.string else {
        throw RulesTrialError("An order of \"orderBy\" isn't [\"field\", \"asc\"].")
      }
      return QueryOrder(
        field: FieldPath(field.split(separator: ".").map(String.init)),
        isDescending: order.array.last?.string == "desc")
    }
  }

  private func limit(_ json: FirestoreJSON) throws -> Int? {
    guard let limit = json["limit"] else { return nil }
    guard let number = limit.integer, let count = Int(exactly: number) else {
      throw RulesTrialError("A \"limit\" isn't a number.")
    }
    return count
  }

  private static let comparisons: [String: QueryComparison] = [
    "==": .equal, "!=": .notEqual, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
    ">=": .greaterThanOrEqual, "in": .in, "not-in": .notIn, "array-contains": .arrayContains,
    "array-contains-any": .arrayContainsAny,
  ]

  private static func members(_ json: FirestoreJSON?, _ name: String) throws -> FirestoreJSON.Members {
    guard let json else { return FirestoreJSON.Members() }
    guard case .object(let members) = json else { throw RulesTrialError("\"\(name)\" isn't an object.") }
    return members
  }

  private static func fields(_ json: FirestoreJSON) throws -> Fields {
    guard case .map(let fields) = try value(json) else {
      throw RulesTrialError("Fields are an object, unlike \(json).")
    }
    return fields
  }

  private static func value(_ json: FirestoreJSON) throws -> Value {
    switch json {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .double(let value): return .double(value)
    case .string(let value): return .string(value)
    case .array(let values): return .array(try values.map(value))
    case .object(let members):
      if let text = json["$timestamp"]?.string {
        guard let time = Timestamp(rfc3339: text) else {
          throw RulesTrialError("\"\(text)\" isn't a time such as \"2026-01-01T00:00:00Z\".")
        }
        return .timestamp(time)
      }
      if let text = json["$bytes"]?.string {
        guard let data = Data(base64Encoded: text) else { throw RulesTrialError("\"\(text)\" isn't base64.") }
        return .bytes(data)
      }
      if case .boolean(true)? = json["$uid"] { return .string(SecurityRules.anyUser) }
      if case .integer(let value)? = json["$double"] { return .double(Double(value)) }
      if case .array(let degrees)? = json["$point"] {
        let numbers = try degrees.map { degree in
          switch degree {
          case .integer(let value): Double(value)
          case .double(let value): value
          default: throw RulesTrialError("\"$point\" isn't [latitude, longitude].")
          }
        }
        guard numbers.count == 2 else { throw RulesTrialError("\"$point\" isn't [latitude, longitude].") }
        return .geoPoint(GeoPoint(latitude: numbers[0], longitude: numbers[1]))
      }
      var fields = Fields()
      for (key, value) in members { fields[key.string] = try Self.value(value) }
      return .map(fields)
    }
  }
}
