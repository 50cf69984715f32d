package import TenonFoundation
import TenonJSON
package import TenonValues

/// A JSON value as used by Firestore for documents and queries: the protobuf JSON mapping of
/// `google.firestore.v1` (https://protobuf.dev/programming-guides/json/).
///
/// It is parsed without a schema; the extensions convert it to documents, values, queries and the messages of
/// the protocol. It is only read; ``WireWriter`` writes this form. Bundles contain documents and queries in
/// this form (https://firebase.google.com/docs/firestore/bundles).
package enum FirestoreJSON: Sendable {
  /// The JSON value `null`.
  case null
  /// The JSON value `true` or `false`.
  case boolean(Bool)
  /// A number without a fraction in the range of `Int64`. The JSON mapping writes 64-bit integers as strings;
  /// see ``integer``.
  case integer(Int64)
  /// Any other number. NaN and the infinities are strings in the JSON mapping; see ``double``.
  case double(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([FirestoreJSON])
  /// An object. Names are identified by their UTF-8 bytes, as the names of fields are.
  case object(Members)

  /// Parses JSON.
  ///
  /// A number without a fraction becomes an ``integer(_:)``, also if it is written as `1.0`.
  ///
  /// - Parameters:
  ///   - bytes: JSON in UTF-8, with at most `JSON.deepestNesting` levels and without duplicate names.
  ///   - limit: the maximum number of bytes.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  /// - Complexity: O(*n*).
  package init(_ bytes: Data, limit: Int = JSON.largestText) throws(DocumentError) {
    do {
      var reader = try JSONReader(bytes, limit: limit)
      try self.init(reading: &reader)
      try reader.finish()
    } catch {
      throw DocumentError(.damaged, "It can't be read as JSON. \(error)")
    }
  }

  /// Creates a value from the next value of a text.
  private init(reading reader: inout JSONReader) throws(JSONError) {
    switch try reader.value() {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .int(let value): self = .integer(value)
    case .unsigned(let value): self = .double(Double(value))
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array:
      var elements: [FirestoreJSON] = []
      while try reader.hasElement() { elements.append(try FirestoreJSON(reading: &reader)) }
      self = .array(elements)
    case .object:
      var members = Members()
      while let name = try reader.name() {
        let member = try FirestoreJSON(reading: &reader)
        guard members.insert(member, forKey: UTF8Text(name)) else { throw reader.duplicateName() }
      }
      self = .object(members)
    }
  }

  /// The member of an object; `nil` if this isn't an object, or if the member is missing or null. In the JSON
  /// mapping, null means that the field isn't set.
  ///
  /// Subscripts can be chained, as in `json["query"]?["limit"]`: a path through anything but objects yields
  /// `nil`.
  ///
  /// - Parameter name: the member's name in lower camel case, the spelling of the JSON mapping.
  package subscript(name: String) -> FirestoreJSON? {
    guard case .object(let members) = self, let member = members[name] else { return nil }
    if case .null = member { return nil }
    return member
  }

  /// The string; `nil` for other types, numbers included.
  package var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The boolean; `nil` for other types.
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  /// The elements of the array; empty for other types. The JSON mapping omits an empty list, so absence and
  /// an empty array mean the same.
  package var array: [FirestoreJSON] { if case .array(let value) = self { value } else { [] } }

  /// The integer, which the JSON mapping writes as a number or as a string; `nil` for other values, for
  /// numbers with a fraction or beyond the range of `Int64`, and for strings with a decimal point or an
  /// exponent.
  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .string(let text): Int64(decimal: text)
    default: nil
    }
  }

  /// The number, which the JSON mapping writes as a number, or as one of the strings `NaN`, `Infinity` and
  /// `-Infinity`, and also permits as a decimal number in a string; `nil` for other values, and for a string
  /// beyond the range of `Double`. An integer beyond 2^53 is rounded.
  var double: Double? {
    switch self {
    case .double(let value): value
    case .integer(let value): Double(value)
    case .string("NaN"): .nan
    case .string("Infinity"): .infinity
    case .string("-Infinity"): -.infinity
    case .string(let text): Double(decimal: text)
    default: nil
    }
  }

  /// Returns the error for JSON that can't be decoded.
  ///
  /// - Parameter what: the invalid part, the subject of a sentence.
  static func damaged(_ what: String) -> DocumentError {
    DocumentError(.damaged, "\(what) can't be read as Firestore's JSON.")
  }
}
