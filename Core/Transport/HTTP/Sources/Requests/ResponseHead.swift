package import TenonTransportInterop

/// The status and the header fields of a response.
package struct ResponseHead: Sendable, Hashable {
  /// The status code (RFC 9110, section 15).
  package var status: Int
  /// The header fields.
  package var headers: HTTPHeaders

  /// Creates the head of a response.
  package init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}
