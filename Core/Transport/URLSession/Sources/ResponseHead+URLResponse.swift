import Foundation
import TenonHTTP
import TenonTransportInterop

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ResponseHead {
  /// Creates the head of a session's response.
  ///
  /// `URLSession` keeps the fields in a dictionary. They are sorted by name here, so that equal responses
  /// have equal heads.
  ///
  /// `URLSession` also removes a content coding, but not the fields that describe it. If there is a
  /// `Content-Encoding`, it is removed here together with the `Content-Length`, which is the size of the
  /// coded body.
  ///
  /// - Parameter response: the response of a task; `nil` if it has none.
  /// - Returns: `nil` if the response isn't an HTTP response.
  /// - Complexity: O(*n* log *n*) in the number of fields.
  init?(_ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return nil }
    let fields = response.allHeaderFields.compactMap { name, value -> HTTPHeader? in
      guard let name = name as? String, let value = value as? String else { return nil }
      return HTTPHeader(name: name, value: value)
    }
    var headers = HTTPHeaders(fields.sorted { $0.name < $1.name })
    if headers["Content-Encoding"] != nil {
      // The session has decoded the body, to which these fields no longer apply.
      headers["Content-Encoding"] = nil
      headers["Content-Length"] = nil
    }
    self.init(status: response.statusCode, headers: headers)
  }
}
