/// Thrown by a function to refuse a call, with a status, a sentence and details that reach the caller.
///
/// ```swift
/// throw CallableError(.failedPrecondition, "The folder is not empty.", details: ["files": 3])
/// ```
///
/// Any other error that a function throws reaches the caller as `INTERNAL` without its text, as on Firebase.
public struct CallableError: Error, Sendable, CustomStringConvertible {
  /// Why the call is refused.
  public let status: CallableStatus
  /// What the caller is told.
  public let message: String
  /// What the caller gets as `details`; `nil` when there are none.
  public let details: (any Encodable & Sendable)?

  /// Creates a refusal.
  public init(_ status: CallableStatus, _ message: String, details: (any Encodable & Sendable)? = nil) {
    self.status = status
    self.message = message
    self.details = details
  }

  /// Status and message.
  public var description: String { "\(status.rawValue): \(message)" }
}
