package import TenonStoreInterop

/// The status of a call or of a target (`google.rpc.Status`): the number of a gRPC code and a message.
package struct WireStatus: WireMessage, Hashable {
  /// The code; `nil` for success, whose number is 0.
  package var code: StoreRemoteError.Code?
  /// The message; empty for success.
  package var message: String

  /// Creates the status of an error; that of success for `nil`.
  package init(_ error: StoreRemoteError?) {
    code = error?.code
    message = error?.message ?? ""
  }

  /// The error; `nil` for success.
  package var error: StoreRemoteError? { code.map { StoreRemoteError($0, message) } }

  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.member("code", code.map { $0.wire.number })
    writer.member("message", message)
    writer.endObject()
  }

  /// Decodes a status. A number that is none of gRPC's is an error of unknown kind.
  package init(wire json: FirestoreJSON, in database: DatabasePrefix) throws(WireFailure) {
    let number = try json.member("code", FirestoreJSON.int32) ?? 0
    code = number == 0 ? nil : StoreRemoteError.Code(number: number)
    message = try json.member("message", FirestoreJSON.text) ?? ""
  }
}

/// The forms of a code: the only table of them.
package struct WireCode: Sendable, Hashable {
  /// The code.
  package let code: StoreRemoteError.Code
  /// The number in gRPC (https://grpc.io/docs/guides/status-codes/).
  package let number: Int
  /// The name, for example `NOT_FOUND`.
  package let name: String
  /// The status of the HTTP response (`google.rpc.Code`).
  package let http: Int

  /// All codes, in the order of their numbers.
  static let all: [WireCode] = [
    WireCode(code: .cancelled, number: 1, name: "CANCELLED", http: 499),
    WireCode(code: .unknown, number: 2, name: "UNKNOWN", http: 500),
    WireCode(code: .invalidArgument, number: 3, name: "INVALID_ARGUMENT", http: 400),
    WireCode(code: .deadlineExceeded, number: 4, name: "DEADLINE_EXCEEDED", http: 504),
    WireCode(code: .notFound, number: 5, name: "NOT_FOUND", http: 404),
    WireCode(code: .alreadyExists, number: 6, name: "ALREADY_EXISTS", http: 409),
    WireCode(code: .permissionDenied, number: 7, name: "PERMISSION_DENIED", http: 403),
    WireCode(code: .resourceExhausted, number: 8, name: "RESOURCE_EXHAUSTED", http: 429),
    WireCode(code: .failedPrecondition, number: 9, name: "FAILED_PRECONDITION", http: 400),
    WireCode(code: .aborted, number: 10, name: "ABORTED", http: 409),
    WireCode(code: .outOfRange, number: 11, name: "OUT_OF_RANGE", http: 400),
    WireCode(code: .unimplemented, number: 12, name: "UNIMPLEMENTED", http: 501),
    WireCode(code: .internal, number: 13, name: "INTERNAL", http: 500),
    WireCode(code: .unavailable, number: 14, name: "UNAVAILABLE", http: 503),
    WireCode(code: .dataLoss, number: 15, name: "DATA_LOSS", http: 500),
    WireCode(code: .unauthenticated, number: 16, name: "UNAUTHENTICATED", http: 401),
  ]
}

extension StoreRemoteError.Code {
  /// The forms of the code; those of `unknown` for a code that this version does not know.
  package var wire: WireCode {
    WireCode.all.first { $0.code == self }
      ?? WireCode(code: .unknown, number: 2, name: "UNKNOWN", http: 500)
  }

  /// Creates the code of a number in gRPC; `unknown` for other numbers, 0 included.
  package init(number: Int) { self = WireCode.all.first { $0.number == number }?.code ?? .unknown }

  /// Creates the code of a name such as `NOT_FOUND`; `nil` for other names.
  package init?(name: String) {
    guard let code = WireCode.all.first(where: { $0.name == name })?.code else { return nil }
    self = code
  }

  /// Creates the code of an HTTP status without a body that names one, as gateways and proxies send it.
  ///
  /// A status that several codes share is read as the most general one. Other statuses between 400 and 499 are `unknown`; those
  /// between 500 and 599, such as 502 of a proxy, are `unavailable` or, for 500 itself, `internal`.
  package init(http status: Int) {
    switch status {
    case 400: self = .invalidArgument
    case 401: self = .unauthenticated
    case 403: self = .permissionDenied
    case 404: self = .notFound
    case 408, 504: self = .deadlineExceeded
    case 409: self = .aborted
    case 412: self = .failedPrecondition
    case 413: self = .invalidArgument
    case 416: self = .outOfRange
    case 429: self = .resourceExhausted
    case 499: self = .cancelled
    case 500: self = .internal
    case 501: self = .unimplemented
    case 502, 503: self = .unavailable
    case 505...599: self = .unavailable
    default: self = .unknown
    }
  }
}
