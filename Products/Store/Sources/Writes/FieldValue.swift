import TenonDocuments
public import TenonStoreInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What is written to a field: a value, or how the value is found.
///
/// ```swift
/// try await page.set(["title": "Tea", "views": .increment(1), "seen": .serverTimestamp], merge: true)
/// ```
public struct FieldValue: Sendable {
  // `Value` alone is the associated type of `ExpressibleByDictionaryLiteral` here.
  enum Content: Sendable {
    case value(TenonStoreInterop.Value)
    case map(DocumentData)
    case transform(FieldTransform.Kind)
    case delete
  }

  let content: Content

  /// A value.
  public static func value(_ value: TenonStoreInterop.Value) -> FieldValue {
    FieldValue(content: .value(value))
  }

  /// Removes the field. In `update`, and in `set` with `merge` or `mergeFields`.
  public static let delete = FieldValue(content: .delete)

  /// The moment of the write, to the millisecond; the same for all fields of a commit.
  public static let serverTimestamp = FieldValue(content: .transform(.serverTimestamp))

  /// The number that is there plus this one. Integers stop at the ends of their range; what is no number counts as 0.
  public static func increment(_ number: Int) -> FieldValue {
    transform(.increment(TenonStoreInterop.Value(number)))
  }

  /// The number that is there plus this one; the result is a double.
  public static func increment(_ number: Double) -> FieldValue {
    transform(.increment(TenonStoreInterop.Value(number)))
  }

  /// The smaller of the number that is there and this one.
  public static func minimum(_ number: Int) -> FieldValue {
    transform(.minimum(TenonStoreInterop.Value(number)))
  }

  /// The smaller of the number that is there and this one.
  public static func minimum(_ number: Double) -> FieldValue {
    transform(.minimum(TenonStoreInterop.Value(number)))
  }

  /// The greater of the number that is there and this one.
  public static func maximum(_ number: Int) -> FieldValue {
    transform(.maximum(TenonStoreInterop.Value(number)))
  }

  /// The greater of the number that is there and this one.
  public static func maximum(_ number: Double) -> FieldValue {
    transform(.maximum(TenonStoreInterop.Value(number)))
  }

  /// The array that is there with those of these values appended that it doesn't hold. 1 and 1.0 are the same.
  public static func arrayUnion(_ elements: [TenonStoreInterop.Value]) -> FieldValue {
    transform(.union(elements))
  }

  /// The array that is there without these values. 1 and 1.0 are the same.
  public static func arrayRemove(_ elements: [TenonStoreInterop.Value]) -> FieldValue {
    transform(.remove(elements))
  }

  private static func transform(_ kind: FieldTransform.Kind) -> FieldValue {
    FieldValue(content: .transform(kind))
  }
}

/// A document's content as it is written: values, and how values are found.
public struct DocumentData: Sendable, ExpressibleByDictionaryLiteral {
  private let given: [(name: String, value: FieldValue)]
  /// The content where it is known to be values only.
  let plain: Fields?

  var entries: [(name: String, value: FieldValue)] {
    plain.map { $0.entries.map { ($0.name, .value($0.value)) } } ?? given
  }

  /// Content as it is written in code.
  public init(dictionaryLiteral elements: (String, FieldValue)...) {
    (given, plain) = (elements.map { ($0.0, $0.1) }, nil)
  }

  /// Content from a dictionary.
  public init(_ dictionary: [String: FieldValue]) {
    (given, plain) = (dictionary.map { ($0.key, $0.value) }, nil)
  }

  /// Plain values.
  public init(_ fields: Fields) { (given, plain) = ([], fields) }
}

extension FieldValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// A boolean.
  public init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .value(.integer(value)) }
  /// A double.
  public init(floatLiteral value: Double) { self = .value(.double(value)) }
}

extension FieldValue: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Text.
  public init(stringLiteral value: String) { self = .value(.string(value)) }
  /// An array of plain values.
  public init(arrayLiteral elements: TenonStoreInterop.Value...) { self = .value(.array(elements)) }
  /// A map, whose fields may again say how their values are found.
  public init(dictionaryLiteral elements: (String, FieldValue)...) {
    content = .map(DocumentData(Dictionary(elements) { _, last in last }))
  }
}

extension FieldValue {
  /// An integer.
  public init(_ value: Int) { self = .value(TenonStoreInterop.Value(value)) }
  /// A double.
  public init(_ value: Double) { self = .value(TenonStoreInterop.Value(value)) }
  /// A boolean.
  public init(_ value: Bool) { self = .value(TenonStoreInterop.Value(value)) }
  /// Text.
  public init(_ value: String) { self = .value(TenonStoreInterop.Value(value)) }
  /// A moment, cut to the microsecond.
  public init(_ value: Date) { self = .value(TenonStoreInterop.Value(value)) }
  /// Bytes.
  public init(_ value: Data) { self = .value(TenonStoreInterop.Value(value)) }
}
