package import TenonFoundation
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
    writer.member("code", code?.status.rawValue)
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

extension StoreRemoteError.Code {
  /// The code in Google's APIs; `unknown` for one that this version doesn't know.
  package var status: StatusCode {
    StatusCode(hyphenatedName: rawValue).flatMap { $0 == .ok ? nil : $0 } ?? .unknown
  }

  /// Creates the code of a status; `nil` for success.
  private init?(_ status: StatusCode) {
    guard status != .ok else { return nil }
    self.init(rawValue: status.hyphenatedName)
  }

  /// Creates the code of a number in gRPC; `unknown` for other numbers, 0 included.
  package init(number: Int) { self = StatusCode(rawValue: number).flatMap(Self.init) ?? .unknown }

  /// Creates the code of a name such as `NOT_FOUND`; `nil` for other names.
  package init?(name: String) {
    guard let code = StatusCode(name: name).flatMap(Self.init) else { return nil }
    self = code
  }

  /// Creates the code of an HTTP status without a body that names one, as gateways and proxies send it.
  ///
  /// A status that several codes share is read as the most general one. Other statuses between 400 and 499
  /// are `unknown`; those between 500 and 599, such as 502 of a proxy, are `unavailable` or, for 500 itself,
  /// `internal`.
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
