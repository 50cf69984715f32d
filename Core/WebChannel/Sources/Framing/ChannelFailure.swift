import TenonJSON

/// The error with which the server ends a call: `{"error": {"code", "message", "status"}}`.
package struct ChannelFailure: Sendable, Hashable {
  /// The code of the status as a number; `nil` if the server doesn't say it. Depending on the server, it is a
  /// code of gRPC or of HTTP.
  package var code: Int?
  /// The name of the status, for example `PERMISSION_DENIED`; `UNKNOWN` if the server doesn't say it.
  package var status: String
  /// The server's explanation; empty if there is none.
  package var message: String

  /// Creates a failure.
  package init(code: Int? = nil, status: String, message: String) {
    self.code = code
    self.status = status
    self.message = message
  }

  /// Creates a failure from an object with the member `error`, or from an array that contains one.
  init(_ json: JSON) {
    let object = json["error"] == nil ? json.array?.first : json
    let error = object?["error"]
    if case .int(let number)? = error?["code"] { code = Int(exactly: number) }
    status = error?["status"]?.string ?? "UNKNOWN"
    message = error?["message"]?.string ?? error?.string ?? ""
  }

  /// The object with the member `error`.
  var json: JSON {
    .members([
      "error": .members([
        "code": code.map { .int(Int64(clamping: $0)) }, "message": .string(message),
        "status": .string(status),
      ])
    ])
  }
}
