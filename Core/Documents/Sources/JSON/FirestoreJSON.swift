import TenonStoreInterop

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A JSON value as used by Firestore for documents and queries: the protobuf JSON mapping of `google.firestore.v1`
/// (https://protobuf.dev/programming-guides/json/).
///
/// It is parsed without a schema; the extensions convert it to documents, values and queries. It is only read, never
/// written. Bundles contain documents and queries in this form (https://firebase.google.com/docs/firestore/bundles).
package indirect enum FirestoreJSON: Decodable, Sendable {
  /// The JSON value `null`.
  case null
  /// The JSON value `true` or `false`.
  case boolean(Bool)
  /// A number without a fraction in the range of `Int64`. The JSON mapping writes 64-bit integers as strings; see ``integer``.
  case integer(Int64)
  /// Any other number. NaN and the infinities are strings in the JSON mapping; see ``double``.
  case double(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([FirestoreJSON])
  /// An object.
  case object([String: FirestoreJSON])

  /// Parses JSON.
  ///
  /// - Parameter bytes: JSON in UTF-8.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged``.
  package init(_ bytes: Data) throws(DocumentError) {
    do { self = try JSONDecoder().decode(FirestoreJSON.self, from: bytes) } catch {
      throw DocumentError(.damaged, "It isn't JSON: \(error).")
    }
  }

  /// Decodes any JSON value.
  ///
  /// A number without a fraction becomes an ``integer(_:)``, also if it is written as `1.0`. Of several members of an
  /// object with the same name, it is unspecified which one is used.
  ///
  /// - Throws: errors of the decoder for anything that is not JSON.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([FirestoreJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: FirestoreJSON].self))
    }
  }

  /// The member of an object; `nil` if this is not an object, or if the member is missing or null. In the JSON mapping, null
  /// means that the field is not set.
  ///
  /// Subscripts can be chained, as in `json["query"]?["limit"]`: a path through anything but objects yields `nil`.
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
  /// The elements of the array; empty for other types. The JSON mapping omits an empty list, so absence and an empty
  /// array mean the same.
  package var array: [FirestoreJSON] { if case .array(let value) = self { value } else { [] } }

  /// The integer, which the JSON mapping writes as a number or as a string; `nil` for other values, for numbers with a
  /// fraction or beyond the range of `Int64`, and for strings with a decimal point or an exponent.
  package var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .string(let text): Int64(text)
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number, which the JSON mapping writes as a number, or as one of the strings `NaN`, `Infinity` and `-Infinity`,
  /// and also permits as a decimal number in a string; `nil` for other values, and for a string beyond the range of
  /// `Double`. An integer beyond 2^53 is rounded.
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

  /// Returns the error for JSON that cannot be decoded.
  ///
  /// - Parameter what: the invalid part, the subject of a sentence.
  static func damaged(_ what: String) -> DocumentError {
    DocumentError(.damaged, "\(what) can't be read as Firestore's JSON.")
  }
}
