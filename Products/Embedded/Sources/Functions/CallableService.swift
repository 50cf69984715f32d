import Foundation
import TenonCore
import TenonTransport
import TenonTransportInterop

/// Functions as closures, called over the callable protocol.
final class CallableService: Sendable {
  typealias Handler = @Sendable (JSON, CallableCaller) async throws -> JSON

  private struct Key: Hashable {
    let name: String
    /// `nil` stands for every region.
    let region: String?
  }

  private struct Function {
    let consumesAppCheckToken: Bool
    let handler: Handler
  }

  private let functions = Lock<[Key: Function]>([:])
  private let projectID: String
  private let appCheck: AppCheckService
  private let now: @Sendable () -> Timestamp

  init(projectID: String, appCheck: AppCheckService, now: @escaping @Sendable () -> Timestamp) {
    self.projectID = projectID
    self.appCheck = appCheck
    self.now = now
  }

  func register(
    _ name: String,
    region: String?,
    consumesAppCheckToken: Bool,
    _ handler: @escaping Handler
  ) {
    let function = Function(consumesAppCheckToken: consumesAppCheckToken, handler: handler)
    functions.withLock { $0[Key(name: name, region: region)] = function }
  }

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

  /// What the caller sent, if the request has the form that Firebase's server SDK insists on.
  private static func data(of request: HTTPRequest) throws -> JSON {
    let type = MediaType(request.headers["Content-Type"] ?? "")
    guard request.method == .post, type.essence == "application/json", case .data(let content) = request.body,
      let members = try? JSON(parsing: content).object, members.count == 1, let data = members["data"]
    else { throw CallableError(.invalidArgument, "Bad Request") }
    return data
  }

  private func auth(of request: HTTPRequest) throws -> CallableAuth? {
    guard let field = request.headers["Authorization"] else { return nil }
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer",
      let user = CallableAuth(idToken: parts[1], projectID: projectID, now: now())
    else { throw CallableError(.unauthenticated, "Unauthenticated") }
    return user
  }

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
