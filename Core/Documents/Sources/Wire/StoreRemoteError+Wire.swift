package import TenonFoundation
package import TenonStoreInterop

/// The JSON form of errors: `{"error": {"code": 404, "message": "…", "status": "NOT_FOUND"}}`, where the code
/// is the HTTP status.
extension StoreRemoteError: WireEncodable {
  package func write(to writer: inout WireWriter) throws(DocumentError) {
    try writer.beginObject()
    writer.name("error")
    try writer.beginObject()
    writer.member("code", code.status.httpStatus)
    writer.member("message", message)
    writer.member("status", code.status.name)
    writer.endObject()
    writer.endObject()
  }

  /// The body of an HTTP response with this error. Its status is ``WireCode/http`` of the code.
  package var responseBody: Data {
    var writer = WireWriter(DatabaseName(project: ""))
    // An error has two levels and no values.
    do { try write(to: &writer) } catch { return Data("{}".utf8) }
    return Data(writer.bytes)
  }

  /// Creates the error of an HTTP response.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - body: the body. If it has no error in one of the forms of ``init(wireError:)``, which bodies of
  ///     proxies don't, the code follows from the status.
  package init(http status: Int, body: Data) {
    if let json = try? FirestoreJSON(body), let error = StoreRemoteError(wireError: json) {
      self = error
    } else {
      self.init(Code(http: status), "The server responded with HTTP status \(status).")
    }
  }

  /// Creates the error that JSON contains: `{"error": {…}}`, which may be in an array, or a
  /// `google.rpc.Status`.
  ///
  /// The code is the name in `status`; without one, the `code`, which is a number of gRPC up to 16 and
  /// otherwise an HTTP status.
  ///
  /// - Returns: `nil` if the JSON is no error, for example an element of a response that is a stream.
  package init?(wireError json: FirestoreJSON) {
    if case .array(let elements) = json {
      guard let error = elements.first, case .object = error else { return nil }
      self.init(wireError: error)
      return
    }
    guard let error = json["error"] else { return nil }
    guard case .object = error else {
      self.init(.unknown, "The server responded with an error that can't be read.")
      return
    }
    let number = error["code"]?.integer.flatMap { Int(exactly: $0) }
    let code =
      error["status"]?.string.flatMap(Code.init(name:))
      ?? number.map { $0 <= 16 ? Code(number: $0) : Code(http: $0) } ?? .unknown
    self.init(code, error["message"]?.string ?? "The server responded with an error without a message.")
  }

  /// Creates the error that a server reports: a `StoreRemoteError` as it is; `invalid-argument`, or
  /// `unimplemented` for a feature that Tenon doesn't have, for a ``DocumentError``. Any other error is
  /// `internal`, without its description, which may contain what isn't the client's business.
  package init(reporting error: any Error) {
    switch error {
    case let error as StoreRemoteError: self = error
    case let error as DocumentError:
      self.init(
        error.code == .unsupported ? .unimplemented : .invalidArgument, error.message, underlying: error)
    case is CancellationError: self.init(.cancelled, "The call was cancelled.")
    default: self.init(.internal, "The server failed. See its log.", underlying: error)
    }
  }

  /// Creates the error of a client for a response that can't be decoded. It is `internal`, because whether a
  /// commit with such a response was applied is unknown.
  package init(undecodable error: DocumentError) {
    self.init(.internal, "The server's response can't be read: \(error.message)", underlying: error)
  }
}
