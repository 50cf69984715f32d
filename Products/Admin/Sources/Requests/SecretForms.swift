import TenonFoundation
import TenonJSON
import TenonTransport
import TenonTransportInterop

/// The forms in which a server may quote a secret of a request.
enum SecretForms {
  /// Returns a text of a server with `•••` in place of each secret: as it is, percent-encoded as in a form, and
  /// escaped as in JSON.
  ///
  /// - Parameters:
  ///   - secrets: the secrets, in any order.
  ///   - text: a text that was read from JSON, so that it isn't escaped itself.
  static func hide(_ secrets: [String], in text: String) -> String {
    let forms = secrets.flatMap { [$0, PercentEncoding.queryValue($0), escaped($0)] }
    let response = TransportResponse(status: 400, body: Data(text.utf8)).hiding(forms)
    return String(decoding: response.body, as: UTF8.self)
  }

  private static func escaped(_ text: String) -> String {
    guard let quoted = try? JSON.string(text).serialized else { return text }
    return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }
}
