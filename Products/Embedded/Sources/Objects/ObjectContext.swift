import TenonDocuments
import TenonTransport
import TenonValues

/// A custom context of an object: a value with a key, by which lists can be filtered
/// (https://cloud.google.com/storage/docs/object-contexts).
struct ObjectContext: Sendable, Hashable, Codable {
  /// The greatest number of contexts of an object.
  private static let limit = 50
  /// The greatest length of a key and of a value, in bytes.
  private static let longest = 256

  /// The value.
  let value: String
  /// When it was added, in microseconds since 1970; `nil` for an object that isn't stored yet.
  var created: Int64?
  /// When the value was last changed, in microseconds since 1970; `nil` for an object that isn't stored yet.
  var updated: Int64?

  /// Applies the member `contexts` of a request: contexts that are null, or whose value is, are removed.
  ///
  /// - Parameters:
  ///   - old: the contexts before.
  ///   - json: the member.
  ///   - now: the current time; `nil` for an object that isn't stored yet.
  /// - Returns: the contexts after it; `nil` for none.
  /// - Throws: ``Refusal`` with status 400.
  static func changed(
    _ old: [String: ObjectContext]?, by json: JSON, now: Timestamp?
  ) throws -> [String: ObjectContext]? {
    guard json != .null, json["custom"] != .null else { return nil }
    guard let members = json.object, let changes = (members["custom"] ?? [:]).object,
      members.keys.allSatisfy({ $0 == "custom" })
    else {
      throw Refusal.badObjectRequest("contexts must be {\"custom\": {\"KEY\": {\"value\": \"VALUE\"}}}.")
    }
    var contexts = old ?? [:]
    for (key, change) in changes {
      guard change != .null, let value = change["value"], value != .null else {
        contexts[key] = nil
        continue
      }
      guard let text = value.string, isAllowed(key), isAllowed(text), !key.lowercased().hasPrefix("goog")
      else {
        throw Refusal.badObjectRequest(
          "A context must have a key and a value of 1 to \(longest) bytes that begin with a letter or a digit, without quotes and slashes; \"goog\" is reserved."
        )
      }
      guard contexts[key]?.value != text else { continue }
      contexts[key] = ObjectContext(
        value: text, created: contexts[key]?.created ?? now?.microsecondsSince1970,
        updated: now?.microsecondsSince1970)
    }
    guard contexts.count <= limit else {
      throw Refusal.badObjectRequest("An object must have at most \(limit) contexts.")
    }
    return contexts.isEmpty ? nil : contexts
  }

  /// Returns whether a text can be a key or a value.
  private static func isAllowed(_ text: String) -> Bool {
    guard text.utf8.count <= longest, let first = text.unicodeScalars.first else { return false }
    return first.properties.isAlphabetic || first.properties.numericType != nil
      ? !text.hasControlCharacters && !text.contains { "'\"\\/".contains($0) } : false
  }

  /// The contexts as the member of a resource.
  static func json(_ contexts: [String: ObjectContext]) -> JSON {
    let custom = contexts.mapValues { context in
      JSON.members([
        "value": .string(context.value),
        "createTime": context.created.map {
          .string(Timestamp(microsecondsSince1970: $0).iso8601Microseconds)
        },
        "updateTime": context.updated.map {
          .string(Timestamp(microsecondsSince1970: $0).iso8601Microseconds)
        },
      ])
    }
    return ["custom": .object(custom)]
  }
}

/// The filter of a list by contexts: `contexts."KEY"="VALUE"` or `contexts."KEY":*`, with a minus sign for
/// the objects that don't match.
struct ContextFilter: Sendable, Hashable {
  /// The key.
  private let key: String
  /// The value; `nil` for any.
  private let value: String?
  /// Whether the filter selects the objects that don't match.
  private let isNegated: Bool

  /// Parses a filter.
  ///
  /// - Throws: ``Refusal`` with status 400.
  init(_ text: String) throws {
    let invalid = Refusal.badObjectRequest(
      "The filter must be contexts.\"KEY\"=\"VALUE\" or contexts.\"KEY\":*, with a minus sign before it for the opposite."
    )
    var rest = Substring(text.trimmed)
    isNegated = rest.hasPrefix("-")
    if isNegated { rest = rest.dropFirst() }
    guard text.utf8.count <= 2_048, rest.hasPrefix("contexts.\"") else { throw invalid }
    let parts = rest.dropFirst("contexts.".count).split(separator: "\"", omittingEmptySubsequences: false)
    // "KEY"="VALUE" has an empty text before and behind it.
    switch parts.count {
    case 3 where parts[2] == ":*": value = nil
    case 5 where parts[2] == "=" && parts[4].isEmpty: value = String(parts[3])
    default: throw invalid
    }
    guard parts[0].isEmpty, !parts[1].isEmpty else { throw invalid }
    key = String(parts[1])
  }

  /// Returns whether the filter selects an object.
  func selects(_ record: ObjectRecord) -> Bool {
    let context = record.attributes?.contexts?[key]
    return (context != nil && (value == nil || context?.value == value)) != isNegated
  }
}
