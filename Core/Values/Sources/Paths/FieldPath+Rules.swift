extension FieldPath {
  /// The path `__name__`, which refers to the document's ID in queries. `FieldPath.documentID()` returns it.
  package static let documentName = FieldPath(["__name__"])

  /// Creates a path from names separated by dots, for example `address.city`.
  ///
  /// The characters are those that Firestore's client libraries reject in dotted paths.
  ///
  /// ```swift
  /// try FieldPath(dotted: "address.city")  // → FieldPath(["address", "city"])
  /// ```
  ///
  /// - Parameter text: the names. Names that contain a dot or any of `~*/[]` require ``init(_:)``.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` if a name is empty, too long or
  ///   reserved, or contains one of those characters.
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

  /// Creates a path by splitting text at its dots. The names aren't checked; see ``check()``.
  ///
  /// The text is split by code points, because a dot followed by a combining mark is a single `Character`.
  ///
  /// - Parameter text: the names. Two dots in sequence, and a dot at either end, yield an empty name; so does
  ///   an empty text.
  package init(splitting text: String) {
    self.init(
      text.unicodeScalars.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    )
  }

  /// Checks that the path has at least one name, and that each name isn't empty, has at most 1,500 UTF-8
  /// bytes, and doesn't begin and end with two underscores. The path `__name__` is valid, although no field
  /// can have that name.
  ///
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/badField`` for the first invalid name. Its message
  ///   names the path.
  package func check() throws(DocumentError) {
    guard !segments.isEmpty else { throw DocumentError(.badField, "A field path has at least one name.") }
    guard self != .documentName else { return }
    for name in segments {
      if let rule = Self.brokenRule(name) {
        throw DocumentError(.badField, "The field path \"\(text)\" \(rule).")
      }
    }
  }

  /// Returns the rule that a field name breaks, as the end of a sentence; `nil` if the name is valid.
  ///
  /// The rules are those of Firestore's server (https://firebase.google.com/docs/firestore/quotas). Any other
  /// characters are allowed in a name, dots and slashes included.
  package static func brokenRule(_ name: String) -> String? {
    if name.isEmpty { return "has an empty name" }
    if name.utf8.count > 1500 { return "has a name of more than 1,500 bytes" }
    if name.isBetweenUnderscores {
      return "has the reserved name \"\(name)\", which begins and ends with two underscores"
    }
    return nil
  }

  /// The path in the notation of Firestore's protocol: simple names as they are, others in backticks,
  /// separated by dots.
  package var text: String { description }
}

extension FieldPath: ExpressibleByStringLiteral {
  /// Creates a path from names separated by dots. The names are checked when the path is used.
  public init(stringLiteral text: String) { self.init(splitting: text) }
}

/// A type that identifies a field.
///
/// These are `String`, whose names are separated by dots as in `"address.city"`, and `FieldPath`, whose names
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
  /// Returns the path of a document's ID, `__name__`, by which queries can filter and sort.
  public static func documentID() -> FieldPath { .documentName }
}
