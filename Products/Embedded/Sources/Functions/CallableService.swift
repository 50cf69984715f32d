import TenonCore
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The callable functions, which are closures that are called through the callable protocol
/// (https://firebase.google.com/docs/functions/callable-reference).
final class CallableService: Sendable {
  /// A function that receives and returns data in the encoding of the callable protocol.
  typealias Handler = @Sendable (JSON, CallableCaller) async throws -> JSON

  /// The key of a function. A function of a region takes precedence over one of all regions.
  private struct Key: Hashable {
    /// The name of the function.
    let name: String
    /// The region; `nil` for all regions.
    let region: String?
  }

  /// A registered function.
  private struct Function {
    /// Whether a call consumes its App Check token.
    let consumesAppCheckToken: Bool
    /// The function.
    let handler: Handler
  }

  /// The registered functions.
  private let functions = Lock<[Key: Function]>([:])
  /// The ID of the project, whose ID tokens are accepted.
  private let projectID: String
  /// Verifies App Check tokens.
  private let appCheck: AppCheckService
  /// Returns the current time.
  private let now: @Sendable () -> Timestamp

  /// Creates a service without functions.
  init(projectID: String, appCheck: AppCheckService, now: @escaping @Sendable () -> Timestamp) {
    self.projectID = projectID
    self.appCheck = appCheck
    self.now = now
  }

  /// Registers a function, which replaces another one of the same name and region.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - region: The region; `nil` for all regions that have no function of that name.
  ///   - consumesAppCheckToken: Whether a call consumes its App Check token.
  ///   - handler: The function.
  func register(
    _ name: String,
    region: String?,
    consumesAppCheckToken: Bool,
    _ handler: @escaping Handler
  ) {
    let function = Function(consumesAppCheckToken: consumesAppCheckToken, handler: handler)
    functions.withLock { $0[Key(name: name, region: region)] = function }
  }

  /// Responds to a call.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - region: The region of the URL.
  ///   - path: The segments of the path, which are the function's name.
  /// - Returns: The result, or the error of the function. Status 404 if there is no such function.
  /// - Throws: `CancellationError`.
  func answer(_ request: HTTPRequest, region: String, path: [String]) async throws -> HTTPResponse {
    let name = path.joined(separator: "/")
    let function = functions.withLock {
      $0[Key(name: name, region: region)] ?? $0[Key(name: name, region: nil)]
    }
    guard let function else {
      return HTTPResponse(
        status: 404,
        headers: HTTPHeaders([HTTPField(name: "Content-Type", value: "text/plain; charset=utf-8")]),
        body: Data("Function \(name) is not registered in \(region); register it with onCall.".utf8)
      )
    }
    do {
      guard !appCheck.refuses(request, at: .functions) else {
        throw CallableError(.unauthenticated, "Unauthenticated")
      }
      let data = try Self.data(of: request)
      let auth = try auth(of: request)
      let app = appCheck.app(of: request, consumingToken: function.consumesAppCheckToken)
      let result = try await function.handler(data, CallableCaller(auth: auth, app: app))
      return try HTTPResponse(status: 200, json: ["result": result])
    } catch let error as CallableError {
      return try Self.response(to: error)
    } catch {
      try Task.checkCancellation()
      return try Self.response(to: CallableError(.internal, "INTERNAL"))
    }
  }

  /// Returns the data of a call.
  ///
  /// - Throws: ``CallableError`` with `INVALID_ARGUMENT` unless the request is a `POST` of JSON whose only
  ///   member is `data`, as Firebase's server SDK requires.
  private static func data(of request: HTTPRequest) throws -> JSON {
    let type = MediaType(request.headers["Content-Type"] ?? "")
    guard request.method == .post, type.essence == "application/json", case .data(let content) = request.body,
      let members = try? JSON(parsing: content).object, members.count == 1, let data = members["data"]
    else { throw CallableError(.invalidArgument, "Bad Request") }
    return data
  }

  /// Returns the user of a call; `nil` without an ID token.
  ///
  /// - Throws: ``CallableError`` with `UNAUTHENTICATED` if there is one that isn't valid.
  private func auth(of request: HTTPRequest) throws -> CallableAuth? {
    guard let field = request.headers["Authorization"] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer",
      let user = CallableAuth(idToken: parts[1], projectID: projectID, now: now())
    else { throw CallableError(.unauthenticated, "Unauthenticated") }
    return user
  }

  /// Returns the response for an error of a function.
  private static func response(to error: CallableError) throws -> HTTPResponse {
    let details = try error.details.map { try CallableCoding.encode($0) }
    return try HTTPResponse(
      status: error.status.httpStatus,
      json: [
        "error": .members([
          "status": .string(error.status.rawValue), "message": .string(error.message), "details": details,
        ])
      ]
    )
  }
}
