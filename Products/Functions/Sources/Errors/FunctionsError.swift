import TenonCallable
public import TenonFoundation
import TenonTransport

/// The reason why a call of a function failed.
///
/// ```swift
/// do { try await functions.httpsCallable("order").call(["tea"]) } catch let error as FunctionsError {
///   if error.code == .resourceExhausted { print(error.message, error.details ?? "no details") }
/// }
/// ```
public struct FunctionsError: LocalizedError, Sendable, CustomStringConvertible {
  /// The kind of an error: the canonical codes of Google's APIs
  /// (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto), with the names of
  /// Firebase's `FunctionsErrorCode`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `not-found`.
    public let rawValue: String

    /// Creates a code from its text. Later versions may add codes.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// The server cancelled the call.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The error belongs to no other kind.
    public static let unknown = Code(rawValue: "unknown")
    /// The data, the name or the region is invalid.
    public static let invalidArgument = Code(rawValue: "invalid-argument")
    /// There was no response before the deadline. The function may have had its effect.
    public static let deadlineExceeded = Code(rawValue: "deadline-exceeded")
    /// The function doesn't exist, or it didn't find a requested resource.
    public static let notFound = Code(rawValue: "not-found")
    /// The resource that the call would create already exists.
    public static let alreadyExists = Code(rawValue: "already-exists")
    /// The caller isn't permitted to make the call.
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// A quota is exhausted, for example the number of calls per minute.
    public static let resourceExhausted = Code(rawValue: "resource-exhausted")
    /// The system isn't in the state that the call requires.
    public static let failedPrecondition = Code(rawValue: "failed-precondition")
    /// The call conflicted with another one.
    public static let aborted = Code(rawValue: "aborted")
    /// A value is outside its valid range.
    public static let outOfRange = Code(rawValue: "out-of-range")
    /// The function doesn't support the operation.
    public static let unimplemented = Code(rawValue: "unimplemented")
    /// The function failed, or its response is malformed.
    public static let `internal` = Code(rawValue: "internal")
    /// The server can't be reached at the moment. The call may succeed if it is made again later.
    public static let unavailable = Code(rawValue: "unavailable")
    /// Data was lost or corrupted.
    public static let dataLoss = Code(rawValue: "data-loss")
    /// No user is signed in, or the server doesn't accept the token.
    public static let unauthenticated = Code(rawValue: "unauthenticated")
  }

  /// The kind of the error.
  public let code: Code
  /// The function's own message, or a sentence that names the function and says what to do.
  public let message: String
  /// The error that caused this one; `nil` if there is none.
  public let underlying: (any Error)?
  /// The details in the protocol's encoding; `nil` if there are none.
  private let detailsJSON: JSON?

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: the kind of the error.
  ///   - message: the function's own message, or a sentence that names the function and says what to do.
  ///   - details: the details in the protocol's encoding.
  ///   - underlying: the error that caused this one.
  init(_ code: Code, _ message: String, details: JSON? = nil, underlying: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlying = underlying
    detailsJSON = details
  }

  /// The details that the function added to its error, in the form of ``HTTPSCallableResult/data``; `nil` if
  /// there are none or they are malformed.
  public var details: (any Sendable)? { detailsJSON.flatMap { try? UntypedCoding.value($0) } }

  /// Decodes the details that the function added to its error.
  ///
  /// - Parameter type: the type to decode.
  /// - Returns: the details; `nil` if there are none.
  /// - Throws: `DecodingError` if they have another form.
  public func details<Details: Decodable>(as type: Details.Type) throws -> Details? {
    try detailsJSON.map { try CallableCoding.decode(type, from: $0) }
  }

  /// The message and, in parentheses, the code.
  public var description: String { "\(message) (\(code.rawValue))" }

  /// The same text as ``description``, for `localizedDescription`.
  public var errorDescription: String? { description }
}
