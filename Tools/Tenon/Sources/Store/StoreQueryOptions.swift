import ArgumentParser
import Foundation
import TenonDocuments
import TenonStoreEngine
import TenonStoreInterop
import TenonValues

/// The arguments that make a query.
struct StoreQueryOptions: ParsableArguments {
  @Argument(help: "The path of a collection, for example notes or rooms/den/messages.")
  var collection: String

  @Flag(help: "Query all collections with this ID, at any path.")
  var collectionGroup = false

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "A condition, such as 'rating >= 3'; several hold together.",
      discussion: """
        The operators are ==, !=, <, <=, >, >=, in, not-in, array-contains and array-contains-any. The value is JSON, or \
        text without quotation marks; a JSON object is a value in Firestore's form, such as \
        {"timestampValue": "2026-01-31T12:00:00Z"}. __name__ is the document's ID.
        """, valueName: "field op value"))
  var conditions: [String] = []

  @Option(
    name: .customLong("order"),
    help: ArgumentHelp(
      "A field to sort by, such as rating:desc; several in their order.", valueName: "field[:desc]"))
  var orders: [String] = []

  @Option(help: ArgumentHelp("The greatest number of documents.", valueName: "n"))
  var limit: Int?

  func validate() throws { _ = try query() }

  /// Returns the query.
  ///
  /// - Throws: `ValidationError` if a part of it is wrong.
  func query() throws -> RunnableQuery {
    do {
      let path = try ResourcePath(collection: collection)
      guard !collectionGroup || path.segments.count == 1 else {
        throw ValidationError("--collection-group takes the ID of collections, not a path: \(collection).")
      }
      let filters = try conditions.map(Self.filter)
      let structure = StructuredQuery(
        parent: ResourcePath(segments: Array(path.segments.dropLast())), collectionID: path.id,
        allDescendants: collectionGroup,
        filter: filters.count > 1 ? .and(filters) : filters.first, orders: orders.map(Self.order),
        limit: limit)
      return try RunnableQuery(structure)
    } catch let error as DocumentError {
      throw ValidationError(error.message)
    } catch let error as StoreError { throw ValidationError(error.message) }
  }

  private static let comparisons: [(text: String, comparison: QueryComparison)] = [
    ("==", .equal), ("!=", .notEqual), ("<", .lessThan), ("<=", .lessThanOrEqual), (">", .greaterThan),
    (">=", .greaterThanOrEqual), ("in", .in), ("not-in", .notIn), ("array-contains", .arrayContains),
    ("array-contains-any", .arrayContainsAny),
  ]

  /// Reads a condition.
  static func filter(_ text: String) throws -> QueryFilter {
    var rest = text.drop { $0 == " " }
    var isQuoted = false
    // A name in backticks may contain spaces.
    let field = rest.prefix { character in
      if character == "`" { isQuoted.toggle() }
      return isQuoted || character != " "
    }
    rest = rest[field.endIndex...].drop { $0 == " " }
    let name = rest.prefix { $0 != " " }
    rest = rest[name.endIndex...].drop { $0 == " " }
    guard let comparison = comparisons.first(where: { $0.text == name })?.comparison, !rest.isEmpty else {
      let names = comparisons.map(\.text).joined(separator: " ")
      throw ValidationError(
        "The condition \"\(text)\" isn't a field, an operator and a value, separated by spaces. The operators are \(names)."
      )
    }
    return .field(Self.path(String(field)), comparison, try value(String(rest), in: text))
  }

  /// Reads a value: JSON, or text without quotation marks.
  private static func value(_ text: String, in condition: String) throws -> Value {
    if text == "NaN" { return .double(.nan) }
    guard let json = try? FirestoreJSON(Data(text.utf8)) else {
      guard let first = text.first, !"\"[{".contains(first) else {
        throw ValidationError("The value in \"\(condition)\" isn't JSON: \(text)")
      }
      return .string(text)
    }
    return try value(json)
  }

  private static func value(_ json: FirestoreJSON) throws -> Value {
    switch json {
    case .null: .null
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .array(let elements): .array(try elements.map(value))
    case .object: try json.value()
    }
  }

  /// Reads the path of a field, whose names needn't be quoted if they have no dots.
  private static func path(_ text: String) -> FieldPath {
    FieldPath(wire: text) ?? FieldPath(splitting: text)
  }

  /// Reads an order.
  private static func order(_ text: String) -> QueryOrder {
    for (end, isDescending) in [(":desc", true), (":asc", false)] where text.hasSuffix(end) {
      return QueryOrder(field: Self.path(String(text.dropLast(end.count))), isDescending: isDescending)
    }
    return QueryOrder(field: Self.path(text))
  }
}
