import TenonTransport
import TenonTransportInterop

/// An error response that rejects a request. It has the form of errors of Google's APIs
/// (https://cloud.google.com/apis/design/errors#http_mapping).
struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// The HTTP status.
  var status: Int
  /// The message, which for Identity Toolkit begins with an error code.
  var message: String
  /// The reason, for example `notFound`.
  var reason: String
  /// The name of the canonical code, for example `NOT_FOUND`. The errors of Identity Toolkit's methods have
  /// none.
  var statusName: String?

  /// The message, which apps see if it isn't sent as a response.
  var description: String { message }

  /// Creates an error response.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - message: the message, a sentence or an error code of Identity Toolkit.
  ///   - reason: the reason in the list of errors; `invalid` by default.
  ///   - statusName: the name of the canonical code; none by default.
  init(_ status: Int, _ message: String, reason: String = "invalid", statusName: String? = nil) {
    self.status = status
    self.message = message
    self.reason = reason
    self.statusName = statusName
  }

  /// The error for a path that doesn't exist.
  static let notFound = Refusal(404, "Not Found", reason: "notFound", statusName: "NOT_FOUND")

  /// Creates the error for a request that names another project than that of the backend: status 404.
  static func otherProject(_ project: String, served: String) -> Refusal {
    Refusal(404, "The backend serves the project \(served), not \(project.prefix(100)).", reason: "notFound")
  }

  /// The error for a body that is longer than the limit.
  static let tooLarge = Refusal(413, "The request is too large.", reason: "uploadTooLarge")

  /// Creates the error for a feature of Firebase that the backend doesn't support: status 501.
  ///
  /// - Parameter what: the feature, as the object of the sentence.
  static func unimplemented(_ what: String) -> Refusal {
    Refusal(
      501,
      "The embedded backend doesn't support \(what).",
      reason: "unimplemented",
      statusName: "NOT_IMPLEMENTED"
    )
  }

  /// The HTTP response, with the error as JSON.
  var response: TransportResponse {
    get throws {
      let detail: JSON = .members([
        "message": .string(message), "reason": .string(reason), "domain": "global",
      ])
      let error: JSON = .members([
        "code": .int(Int64(clamping: status)), "message": .string(message), "errors": [detail],
        "status": statusName.map(JSON.string),
      ])
      return try TransportResponse(status: status, json: ["error": error])
    }
  }
}

extension TransportResponse {
  /// Creates a response with a JSON body.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - json: the body.
  ///   - headers: the header fields, to which `Content-Type` is added.
  init(status: Int, json: JSON, headers: HTTPHeaders = HTTPHeaders()) throws {
    var headers = headers
    headers.fields.append(HTTPHeader(name: "Content-Type", value: "application/json; charset=utf-8"))
    self.init(status: status, headers: headers, body: try json.serialized)
  }
}
