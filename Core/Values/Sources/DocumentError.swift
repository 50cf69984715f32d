public import TenonFoundation

/// An error in a path, a value or a query that violates Firestore's rules, or in stored data that can't be
/// decoded.
///
/// These errors are detected locally, before anything is sent to a server. Retrying without a change doesn't
/// help.
public struct DocumentError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error, stable across versions.
  ///
  /// Later versions may add codes, so a `switch` over codes needs a `default` case.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `bad-path`.
    public let rawValue: String

    /// Creates a code, for example one that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// The path or the ID of a document or a collection breaks a rule.
    public static let badPath = Code(rawValue: "bad-path")
    /// A field name or a field path breaks a rule.
    public static let badField = Code(rawValue: "bad-field")
    /// A value breaks a rule, for example an array directly inside an array, or a timestamp out of range.
    public static let badValue = Code(rawValue: "bad-value")
    /// The document is larger than `Fields.maximumDocumentSize`.
    public static let tooLarge = Code(rawValue: "too-large")
    /// The query breaks a rule, for example a limit of 0 or too many alternatives.
    public static let badQuery = Code(rawValue: "bad-query")
    /// A stored document, or JSON from a server, can't be decoded.
    public static let damaged = Code(rawValue: "damaged")
  }

  /// The kind of error.
  public let code: Code
  /// A sentence in English that names the path or the field and says what is wrong. Its wording may change.
  public let message: String

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of error.
  ///   - message: a sentence in English that says what is wrong.
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message and the code, as in `"The field \"a\" has an empty name. (bad-field)"`.
  public var description: String { "\(message) (\(code.rawValue))" }
  /// The same text as ``description``; Foundation's `localizedDescription` returns it.
  public var errorDescription: String? { description }
}
