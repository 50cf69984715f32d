/// Why a path, a value or a query isn't allowed in a document database.
public struct DocumentError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A kind of error, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `bad-path`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The path of a document or a collection breaks a rule.
    public static let badPath = Code(rawValue: "bad-path")
    /// The path of a field breaks a rule.
    public static let badField = Code(rawValue: "bad-field")
    /// A value breaks a rule.
    public static let badValue = Code(rawValue: "bad-value")
    /// The document is too large.
    public static let tooLarge = Code(rawValue: "too-large")
    /// The query breaks a rule.
    public static let badQuery = Code(rawValue: "bad-query")
    /// A stored document can't be read.
    public static let damaged = Code(rawValue: "damaged")
  }

  /// What kind of error it is.
  public let code: Code
  /// What is wrong, in a sentence that names it and says what to do.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message.
  public var description: String { message }
}
