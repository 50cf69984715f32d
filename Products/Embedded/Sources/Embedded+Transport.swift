import Foundation
import TenonCore
import TenonSQLite
import TenonTransport
public import TenonTransportInterop

/// Requests are answered in the process, by their URLs in the forms of Firebase's production services or of its
/// emulators.
extension Embedded: TransportInterop {
  /// Answers a request and returns the complete response. The deadline covers the body as well.
  ///
  /// - Throws: `TransportError` if the content breaks off or a body's file can't be read; `CancellationError`.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try await withinDeadline(of: request) {
      let response = try await self.answer(request)
      var body = Data()
      if let size = response.headers["Content-Length"].flatMap({ Int($0) }) { body.reserveCapacity(size) }
      for try await piece in response.body { body += piece }
      // A cancelled reader sees the stream end early.
      try Task.checkCancellation()
      return HTTPResponse(status: response.status, headers: response.headers, body: body)
    }
  }

  /// Answers a request. The content of objects follows in chunks, which are read as the caller asks for them.
  ///
  /// - Throws: `TransportError` if a body's file can't be read; `CancellationError`.
  public func stream(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    try await withinDeadline(of: request) { try await self.answer(request) }
  }

  /// Runs an operation until the deadline of a request. Returns as soon as the deadline passes or the task is cancelled, even
  /// if a function's closure ignores its cancellation.
  private func withinDeadline<Result: Sendable>(
    of request: HTTPRequest, _ operation: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    try request.checkFields()
    let time = TimeSource.system
    let deadline = request.deadline.map { time.now() + $0.limited }
    if let result = try await time.value(by: deadline, of: operation) { return result }
    throw TransportError(
      .timedOut,
      "The embedded backend did not answer \(request.url.path) within \(request.deadline ?? .zero)."
    )
  }

  /// The answer to `OPTIONS` (RFC 9110, section 9.3.7), the same for every resource.
  private static let options = HTTPResponse(
    status: 204,
    headers: HTTPHeaders([
      HTTPField(name: "Allow", value: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
    ])
  )

  private func answer(_ request: HTTPRequest) async throws -> HTTPStreamingResponse {
    do {
      guard let route = Route(request.url, projectID: projectID) else { throw Refusal.notFound }
      guard request.method != .options else { return HTTPStreamingResponse(Self.options) }
      if case .file = request.body, route.service != .objects {
        throw Refusal(413, "The request is too large.", reason: "uploadTooLarge")
      }
      switch route.service {
      case .accounts, .tokens:
        try appCheck.check(request, at: .auth)
        return HTTPStreamingResponse(try await accounts.answer(request, route: route))
      case .accountEmulator:
        return HTTPStreamingResponse(try await accounts.answerEmulator(request, route: route))
      case .functions(let region):
        return HTTPStreamingResponse(try await functions.answer(request, region: region, path: route.path))
      case .appCheck:
        return HTTPStreamingResponse(try appCheck.answer(request, route: route))
      case .objects:
        return try await objects.answer(request, route: route)
      }
    } catch let refusal as Refusal {
      return HTTPStreamingResponse(try refusal.response)
    } catch let conflict as UploadConflict {
      return HTTPStreamingResponse(try conflict.response)
    } catch let error as TransportError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch let error as SQLiteError where error.code == .busy {
      // Another process holds the database; clients may try again.
      let refusal = Refusal(503, "\(error)", reason: "backendError", statusName: "UNAVAILABLE")
      return HTTPStreamingResponse(try refusal.response)
    } catch {
      logger?.error("\(request.method.rawValue) \(request.url.path): \(error)")
      let refusal = Refusal(
        500,
        "The embedded backend failed: \(error)",
        reason: "backendError",
        statusName: "INTERNAL"
      )
      return HTTPStreamingResponse(try refusal.response)
    }
  }
}
