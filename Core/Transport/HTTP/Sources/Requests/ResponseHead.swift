package import TenonTransportInterop

/// The status and the header fields of a response: the part that a transport has before the body, and on
/// which redirects depend.
package struct ResponseHead: Sendable, Hashable {
  /// The status code (RFC 9110, section 15).
  package var status: Int
  /// The header fields. Transports remove those that describe a coding of the body that they have removed.
  package var headers: HTTPHeaders

  /// Creates the head of a response.
  package init(status: Int, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}
