public import Foundation
import TenonTransport

/// Why a call did not give its answer.
public struct FunctionsError: Error, Sendable, CustomStringConvertible {
  /// What went wrong: the canonical codes of gRPC (https://grpc.io/docs/guides/status-codes).
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code that this version does not know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The call was cancelled by the server.
    public static let cancelled = Code(rawValue: "cancelled")
    /// An error that fits nowhere else.
    public static let unknown = Code(rawValue: "unknown")
    /// The data, the name or the region isn't what it should be.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// There was no answer in time. The call may have had its effect.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// There is no such function, or it did not find what was asked for.
    public static let notFound = Code(rawValue: "not-found")
    /// What the call would create exists already.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The caller may not do this.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// A quota is used up.
    public static let resourceExhausted = Code(rawValue: "resource-exhausted")
    /// The system isn't in the state that the call needs.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// The call collided with another one.
    public static let aborted = Code(rawValue: "aborted")
    /// A value lies outside its range.
    public static let outOfRange = Code(rawValue: "out-of-range")
    /// The function doesn't do this.
    public static let unimplemented = Code(rawValue: "unimplemented")
    /// The function failed, or what it answered can't be understood.
    public static let `internal` = Code(rawValue: "internal")
    /// The server can't be reached now.
    public static let unavailable = Code(rawValue: "unavailable")
    /// Data was lost.
    public static let dataLoss = Code(rawValue: "data-loss")
    /// The caller isn't signed in, or the token isn't accepted.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
  }

  /// What went wrong.
  public let code: Code
  /// The function's own message, or a sentence that names the function and says what to do.
  public let message: String
  /// What the layer below reported, if anything.
  public let underlying: (any Error)?
  private let detailsValue: JSON?

  init(_ code: Code, _ message: String, details: JSON? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
    detailsValue = details
  }

  /// The details that the function added to its refusal, as JSON text; `nil` when there are none.
  public var details: Data? { detailsValue.flatMap { try? $0.serialized } }

  /// The details that the function added to its refusal.
  ///
  /// - Returns: `nil` when there are none.
  /// - Throws: `DecodingError` when they have another form.
  public func details<Details: Decodable>(as type: Details.Type = Details.self) throws -> Details? {
    try detailsValue.map { try CallableCoding.decode(type, from: $0) }
  }

  /// The message and the code.
  public var description: String { "\(message) (\(code.rawValue))" }
}
