public import TenonStoreInterop

extension FieldPath {
  /// The path that `FieldPath.documentID()` returns.
  package static let documentName = FieldPath(["__name__"])

  /// Creates a path from names separated by dots: `address.city`. Names that contain any of `~*/[]` or dots need
  /// ``init(_:)``.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField``.
  public init(dotted text: String) throws(DocumentError) {
    self.init(splitting: text)
    if let character = text.unicodeScalars.first(where: { "~*/[]".unicodeScalars.contains($0) }) {
      throw DocumentError(
        .badField,
        "The field path \"\(text)\" contains \"\(character)\"; use FieldPath([…]) for such names."
      )
    }
    try check()
  }

  /// Splits text at its dots, by code points: a dot followed by a combining mark is a single `Character`. The names are not
  /// checked; see ``check()``.
  package init(splitting text: String) {
    self.init(
      text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    )
  }

  /// Checks the rules for names.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField``.
  public func check() throws(DocumentError) {
    guard !segments.isEmpty else { throw DocumentError(.badField, "A field path has at least one name.") }
    guard self != .documentName else { return }
    for name in segments {
      if let rule = Self.brokenRule(name) {
        throw DocumentError(.badField, "The field path \"\(text)\" \(rule).")
      }
    }
  }

  /// The rule that a field name breaks, as the end of a sentence; `nil` if it is valid.
  static func brokenRule(_ name: String) -> String? {
    if name.isEmpty { return "has an empty name" }
    if name.utf8.count > 1500 { return "has a name of more than 1,500 bytes" }
    if name.isBetweenUnderscores {
      return "has the reserved name \"\(name)\", which begins and ends with two underscores"
    }
    return nil
  }

  /// The path as the server writes it: plain names bare, others in backticks.
  public var text: String { description }

  /// Returns whether this path equals `other` or is the path of a map that contains it.
  public func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count
      && segments.elementsEqual(other.segments.prefix(segments.count), by: UTF8Text.areEqual)
  }

  /// Compares the paths name by name, by UTF-8 bytes: negative, zero or positive.
  public func compare(_ other: FieldPath) -> Int {
    for (left, right) in zip(segments, other.segments) {
      let order = ByteOrder.compare(left, right)
      if order != 0 { return order }
    }
    return segments.count == other.segments.count ? 0 : (segments.count < other.segments.count ? -1 : 1)
  }
}

extension FieldPath: ExpressibleByStringLiteral {
  /// Creates a path from names separated by dots. The names are checked when the path is used.
  public init(stringLiteral text: String) { self.init(splitting: text) }
}

/// A type that names a field: `String`, whose names are separated by dots as in `"address.city"`, and `FieldPath`, whose names
/// may contain any characters.
public protocol FieldPathConvertible {
  /// The path of the field. It is checked when it is used.
  var fieldPath: FieldPath { get }
}

extension String: FieldPathConvertible {
  /// The path whose names are separated by dots.
  public var fieldPath: FieldPath { FieldPath(splitting: self) }
}

extension FieldPath: FieldPathConvertible {
  /// The path itself.
  public var fieldPath: FieldPath { self }
}

extension FieldPathConvertible where Self == FieldPath {
  /// The path of a document's ID, by which queries can filter and order.
  public static func documentID() -> FieldPath { .documentName }
}
