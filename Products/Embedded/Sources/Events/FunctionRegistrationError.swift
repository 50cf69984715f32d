public import TenonFoundation

/// An error with which a function of the embedded backend can't be registered.
public struct FunctionRegistrationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `already-exists`.
    public let rawValue: String

    /// Creates a code from its text. Later versions may have codes that this one doesn't declare.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text.
    public var description: String { rawValue }

    /// A function with this name exists.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The name isn't allowed.
    public static let invalidName = Code(rawValue: "invalid-name")
    /// The pattern of paths isn't allowed.
    public static let invalidPath = Code(rawValue: "invalid-path")
    /// The schedule can't be parsed, or its time never comes.
    public static let invalidSchedule = Code(rawValue: "invalid-schedule")
    /// There is no such time zone.
    public static let unknownTimeZone = Code(rawValue: "unknown-time-zone")
  }

  /// What is wrong.
  public let code: Code
  /// A sentence that names what is wrong, and says what to do.
  public let message: String

  /// Creates an error.
  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The message, and in parentheses the code.
  public var description: String { "\(message) (\(code))" }

  /// Checks the name of a function.
  ///
  /// - Throws: ``FunctionRegistrationError`` with `invalidName` unless the name has 1 to 62 letters, digits,
  ///   hyphens and underscores of ASCII, and begins with a letter.
  static func check(name: String) throws(FunctionRegistrationError) {
    let isLetter = { (byte: UInt8) in (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
    guard (1...62).contains(name.utf8.count), name.utf8.first.map(isLetter) ?? false,
      name.utf8.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F })
    else {
      throw FunctionRegistrationError(
        .invalidName,
        "\"\(name.prefix(100))\" can't be the name of a function. A name has at most 62 letters, digits, hyphens and "
          + "underscores, and begins with a letter.")
    }
  }
}

extension FunctionRegistrationError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}
