import Foundation
import TenonTransport
import TenonTransportInterop

/// An answer that refuses a request, in the error envelope of Google's APIs.
struct Refusal: Error, Sendable, Hashable {
  var status: Int
  var message: String
  var reason: String
  /// The name of the canonical code, for example `NOT_FOUND`. Business errors of Identity Toolkit have none.
  var statusName: String?

  init(_ status: Int, _ message: String, reason: String = "invalid", statusName: String? = nil) {
    self.status = status
    self.message = message
    self.reason = reason
    self.statusName = statusName
  }

  static let notFound = Refusal(404, "Not Found", reason: "notFound", statusName: "NOT_FOUND")

  static func unimplemented(_ what: String) -> Refusal {
    Refusal(
      501,
      "The embedded backend does not serve \(what).",
      reason: "unimplemented",
      statusName: "NOT_IMPLEMENTED"
    )
  }

  var response: HTTPResponse {
    get throws {
      let detail: JSON = .members([
        "message": .string(message), "reason": .string(reason), "domain": "global",
      ])
      let error: JSON = .members([
        "code": .int(Int64(status)), "message": .string(message), "errors": [detail],
        "status": statusName.map(JSON.string),
      ])
      return try HTTPResponse(status: status, json: ["error": error])
    }
  }
}

extension HTTPResponse {
  init(status: Int, json: JSON, headers: HTTPHeaders = HTTPHeaders()) throws {
    var headers = headers
    headers.fields.append(HTTPField(name: "Content-Type", value: "application/json; charset=utf-8"))
    self.init(status: status, headers: headers, body: try json.serialized)
  }
}
