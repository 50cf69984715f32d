import TenonBasics

/// The reason why a text isn't accepted as JSON: a syntax error, or a limit that it exceeds.
///
/// Errors name the position and the limit, and never quote the text, which may contain credentials. The
/// position of an error in a text within the limit for its size is deterministic: the first violation is
/// reported.
package struct JSONError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error.
  package struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `too-deep`.
    package let rawValue: String

    /// Creates a code.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// The text violates the grammar of RFC 8259.
    package static let syntax = Code(rawValue: "syntax")
    /// A string isn't valid UTF-8, or an escape is half of a surrogate pair.
    package static let invalidUnicode = Code(rawValue: "invalid-unicode")
    /// An object has several members with one name.
    package static let duplicateName = Code(rawValue: "duplicate-name")
    /// The magnitude of a number exceeds that of every double.
    package static let numberOutOfRange = Code(rawValue: "number-out-of-range")
    /// Arrays and objects are nested more than ``JSON/deepestNesting`` levels deep.
    package static let tooDeep = Code(rawValue: "too-deep")
    /// The text has more bytes than the limit.
    package static let tooLarge = Code(rawValue: "too-large")
  }

  /// The kind of error.
  package let code: Code
  /// The number of bytes before the error. Nothing after it was read.
  package let position: Int
  /// The reason as a clause, for example `a colon is missing`.
  package let reason: String
  /// A sentence with the position and the reason, for example `At byte 3 of 9: a colon is missing.`
  package let description: String
  /// The same text as ``description``.
  package var errorDescription: String? { description }

  /// Creates an error; see the properties.
  package init(code: Code, position: Int, reason: String, description: String) {
    self.code = code
    self.position = position
    self.reason = reason
    self.description = description
  }
}
