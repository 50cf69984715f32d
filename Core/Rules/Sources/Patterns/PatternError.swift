/// Why a regular expression can't be used.
package struct PatternError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of error it is.
  package var code: Code
  /// Where in the pattern, in Unicode scalars from its start; `nil` if no place is to blame.
  package var offset: Int?
  /// What is wrong, and what to do.
  package var message: String

  /// The kinds of errors.
  package struct Code: RawRepresentable, Sendable, Hashable {
    /// The name of the kind.
    package var rawValue: String
    /// Creates a code from its name.
    package init(rawValue: String) { self.rawValue = rawValue }
    /// The pattern isn't a regular expression of RE2.
    package static let invalidPattern = Code(rawValue: "invalid-pattern")
    /// The pattern is longer than ``Pattern/maximumLength``.
    package static let tooLong = Code(rawValue: "pattern-too-long")
    /// The pattern has more than ``Pattern/maximumDepth`` nested parentheses.
    package static let tooDeep = Code(rawValue: "pattern-too-deep")
    /// The pattern's repetitions need more than ``Pattern/maximumSize`` instructions.
    package static let tooLarge = Code(rawValue: "pattern-too-large")
    /// The text would need more than ``Pattern/maximumSteps`` steps.
    package static let tooExpensive = Code(rawValue: "pattern-too-expensive")
    /// A replacement names a group that the pattern doesn't have.
    package static let unknownGroup = Code(rawValue: "unknown-group")
  }

  /// Creates an error.
  package init(_ code: Code, at offset: Int? = nil, _ message: String) {
    self.code = code
    self.offset = offset
    self.message = message
  }

  /// The message with the place.
  package var description: String {
    guard let offset else { return message }
    return "\(message) (at character \(offset + 1) of the pattern)"
  }
}
