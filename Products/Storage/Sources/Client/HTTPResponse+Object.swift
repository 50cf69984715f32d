import TenonTransport
import TenonTransportInterop

extension HTTPResponse {
  /// Parses the body as a JSON object, the form of all responses of the service.
  ///
  /// JSON of another type, and the description of an error, would otherwise pass for an object without any properties.
  ///
  /// - Returns: the object.
  /// - Throws: `TransportError` with `invalidResponse` if the body isn't a JSON object, or if it describes an error although
  ///   the status is one of success.
  func object() throws(TransportError) -> JSON {
    let json = try json()
    guard let members = json.object, members["error"] == nil else {
      throw TransportError(
        .invalidResponse, "The response (status \(status)) is not the expected JSON: \(excerpt)")
    }
    return json
  }
}
