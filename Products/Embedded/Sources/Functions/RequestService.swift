import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop

/// The functions that respond to any request of HTTP (https://firebase.google.com/docs/functions/http-events).
final class RequestService: Sendable {
  /// A registered function.
  struct Function: Sendable {
    let name: String
    /// The pages that may read its responses.
    let cors: FunctionCORS
    /// The maximum time until a response begins.
    let timeout: Duration
    let handler: @Sendable (FunctionRequest) async throws -> FunctionResponse
  }

  /// The functions by their names and regions. The key of a function of all regions is empty.
  private let functions = Lock<[String: [String: Function]]>([:])
  private let appCheck: AppCheckService
  private let runner: FunctionRunner
  private let logger: AppLogger?

  /// The methods that pages of other origins may use, as in Express.
  private static let methods = "GET,HEAD,PUT,PATCH,POST,DELETE"

  init(appCheck: AppCheckService, runner: FunctionRunner, logger: AppLogger?) {
    (self.appCheck, self.runner, self.logger) = (appCheck, runner, logger)
  }

  /// Registers a function.
  ///
  /// - Throws: ``FunctionRegistrationError`` with `alreadyExists`.
  func register(_ function: Function, region: String?) throws {
    try functions.withLock { functions in
      guard functions[function.name]?[region ?? ""] == nil else { throw Self.exists(function.name) }
      functions[function.name, default: [:]][region ?? ""] = function
    }
  }

  /// The error of a second function with a name.
  static func exists(_ name: String) -> FunctionRegistrationError {
    FunctionRegistrationError(
      .alreadyExists,
      "A function with the name \(name) is registered already. Choose another name, or remove it with removeFunction."
    )
  }

  /// Removes the functions with a name, in all regions.
  ///
  /// - Returns: whether there were any.
  @discardableResult func remove(_ name: String) -> Bool {
    functions.withLock { $0.removeValue(forKey: name) != nil }
  }

  /// The names and regions of the functions; a region is `nil` for all regions.
  var keys: [(name: String, region: String?)] {
    functions.withLock { functions in
      functions.flatMap { name, regions in regions.keys.map { (name, $0.isEmpty ? nil : $0) } }
    }
  }

  /// Returns whether there is a function with a name, in any region.
  func contains(_ name: String) -> Bool { functions.withLock { $0[name] != nil } }

  /// Returns the function of a request; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - path: the segments of the path, of which the first one is the name.
  ///   - region: the region.
  func function(_ path: [String], region: String) -> Function? {
    guard let name = path.first else { return nil }
    return functions.withLock { $0[name]?[region] ?? $0[name]?[""] }
  }

  /// Responds to a request.
  ///
  /// - Parameters:
  ///   - request: the request, with its content in memory.
  ///   - function: the function.
  ///   - route: the route of the request.
  ///   - caller: the caller.
  /// - Returns: the response of the function. Status 500 if it throws or its response can't be sent, 504 if its
  ///   time is over, 429 if too many functions are running.
  /// - Throws: `CancellationError`.
  func answer(
    _ request: TransportRequest, by function: Function, _ route: Route, _ caller: Caller
  ) async throws -> TransportStreamingResponse {
    let cors = function.cors.fields(for: request, methods: Self.methods)
    if request.method == .options, !function.cors.isHandledByFunction {
      return TransportStreamingResponse(TransportResponse(status: 204, headers: HTTPHeaders(cors)))
    }
    var body = Data()
    if case .data(let content) = request.body { body = content }
    let app = try await appCheck.app(of: caller.app, consumingToken: false)
    let call = FunctionRequest(
      method: request.method.rawValue, path: Self.path(of: route), query: route.encodedQuery, body: body,
      auth: caller.auth, app: app, fields: request.headers)
    do {
      var answer = try await runner.run(function.name, timeout: function.timeout) {
        try await function.handler(call)
      }
      if let problem = answer.problem {
        logger?.error("The response of the function \(function.name) can't be sent: \(problem).")
        return Self.failure(500, "Internal Server Error", cors)
      }
      answer.fields.fields += cors
      switch answer.content {
      case .data(let data):
        return TransportStreamingResponse(
          TransportResponse(status: answer.status, headers: answer.fields, body: data))
      case .stream(let stream):
        return TransportStreamingResponse(status: answer.status, headers: answer.fields, body: stream)
      }
    } catch let error as CallableError where error.status == .deadlineExceeded {
      logger?.error(error.message, fields: ["faas.name": function.name])
      return Self.failure(504, error.message, cors)
    } catch let error as CallableError where error.status == .resourceExhausted {
      return Self.failure(429, error.message, cors)
    } catch {
      try Task.checkCancellation()
      logger?.error(
        "The function \(function.name) failed: \(error.systemReason)", fields: ["faas.name": function.name])
      return Self.failure(500, "Internal Server Error", cors)
    }
  }

  private static func failure(_ status: Int, _ text: String, _ cors: [HTTPHeader])
    -> TransportStreamingResponse
  {
    let type = HTTPHeader(name: "Content-Type", value: "text/plain; charset=utf-8")
    return TransportStreamingResponse(
      TransportResponse(status: status, headers: HTTPHeaders([type] + cors), body: Data(text.utf8)))
  }

  /// Returns the path below the function's, percent-encoded.
  private static func path(of route: Route) -> String {
    let path = route.encodedPath.utf8
    // The segments up to the function's name.
    var count = path.split(separator: UInt8(ascii: "/")).count - (route.path.count - 1)
    var rest = path[...]
    while count > 0 {
      count -= 1
      rest = rest.drop { $0 == UInt8(ascii: "/") }.drop { $0 != UInt8(ascii: "/") }
    }
    return rest.isEmpty ? "/" : String(Substring(rest))
  }
}
