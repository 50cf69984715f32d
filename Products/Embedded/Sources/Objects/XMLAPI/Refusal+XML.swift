import TenonTransport
import TenonTransportInterop

extension Refusal {
  /// The error for a bucket that doesn't exist.
  static let noSuchBucket = Refusal(404, "The specified bucket does not exist.", reason: "notFound")

  /// The code of the error in Cloud Storage's XML API
  /// (https://cloud.google.com/storage/docs/xml-api/reference-status). A reason in upper case is one.
  private var xmlCode: String {
    if reason.first?.isUppercase == true { return reason }
    switch (status, self) {
    case (_, .noSuchObject): return "NoSuchKey"
    case (_, .noSuchBucket): return "NoSuchBucket"
    default: break
    }
    return switch status {
    case 401: "AuthenticationRequired"
    case 403: "AccessDenied"
    case 404: "NoSuchKey"
    case 405: "MethodNotAllowed"
    case 409: "Conflict"
    case 411: "MissingContentLength"
    case 412: "PreconditionFailed"
    case 413: "EntityTooLarge"
    case 416: "InvalidRange"
    case 501: "NotImplemented"
    case 503: "ServiceUnavailable"
    case 500...: "InternalError"
    default: "InvalidArgument"
    }
  }

  /// The HTTP response, with the error as XML.
  var xmlResponse: TransportResponse {
    let document = XMLWriter("Error", namespace: nil) { writer in
      writer.write("Code", xmlCode)
      writer.write("Message", message)
    }
    return TransportResponse(xml: document, status: status)
  }
}

extension TransportResponse {
  /// Creates a response whose body is XML.
  init(xml document: XMLWriter, status: Int = 200) {
    let headers = HTTPHeaders([
      HTTPHeader(name: "Content-Type", value: "application/xml; charset=UTF-8")
    ])
    self.init(status: status, headers: headers, body: document.data)
  }
}
