public import TenonFoundation

/// An error with which a callable function rejects a call. Its status, message and details are sent to the
/// caller.
///
/// ```swift
/// throw CallableError(.failedPrecondition, "The folder is not empty.", details: ["files": 3])
/// ```
///
/// If a function throws any other error, the caller receives `INTERNAL` without its text, as on Firebase.
public struct CallableError: Error, Sendable, CustomStringConvertible {
  /// The status of the response.
  public let status: CallableStatus
  /// The message that the caller receives.
  public let message: String
  /// The value that the caller receives as `details`; `nil` if there is none.
  public let details: (any Encodable & Sendable)?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - status: the status of the response.
  ///   - message: the message for the caller.
  ///   - details: a value for the caller, which is encoded with the callable protocol; `nil` by default.
  public init(_ status: CallableStatus, _ message: String, details: (any Encodable & Sendable)? = nil) {
    self.status = status
    self.message = message
    self.details = details
  }

  /// The message, and in parentheses the status. For example:
  /// `The folder is not empty. (FAILED_PRECONDITION)`.
  public var description: String { "\(message) (\(status.rawValue))" }
}

extension CallableError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}
