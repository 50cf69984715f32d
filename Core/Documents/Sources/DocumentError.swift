#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The error of a path, a value or a query that Firestore's rules do not allow.
public struct DocumentError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error, stable across versions.
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
    /// A stored document cannot be read.
    public static let damaged = Code(rawValue: "damaged")
  }

  /// The kind of error.
  public let code: Code
  /// A sentence that names what is wrong and says what to do.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message and the code, as in `"The field \"a\" has an empty name. (bad-field)"`.
  public var description: String { "\(message) (\(code.rawValue))" }
  /// The same text as ``description``; Foundation's `localizedDescription` returns it.
  public var errorDescription: String? { description }
}
