import Foundation
package import TenonTesting
import TenonTransportInterop

/// Returns every text by which a value can end in a log: its descriptions, its mirrors, and those of the
/// errors in it.
///
/// - Parameter value: an error or any other value.
package func disclosedTexts(of value: Any) -> [String] {
  var dumped = ""
  dump(value, to: &dumped)
  var texts = ["\(value)", String(reflecting: value), dumped, "\([value])"]
  if let error = value as? any Error {
    let bridged = error as NSError
    texts += [error.localizedDescription, "\(bridged)", "\(bridged.userInfo)"]
    for child in Mirror(reflecting: error).children where child.label == "underlying" {
      if let underlying = child.value as? any Error { texts += disclosedTexts(of: underlying) }
    }
  }
  return texts
}

extension FakeTransport {
  /// The forms in which ``echo(status:form:)`` quotes a request.
  package enum EchoForm: String, CaseIterable, Sendable {
    /// As an error message in JSON, as Google's services send them.
    case message
    /// As an error message that is the status name, with the rest in `details`.
    case details
    /// As text, as a proxy does.
    case text
  }

  /// Creates a server that refuses every request and quotes it in the refusal: URL, header fields and body.
  ///
  /// - Parameters:
  ///   - status: the status of the refusals.
  ///   - form: how the request is quoted.
  package static func echo(status: Int, form: EchoForm) -> FakeTransport {
    FakeTransport { request in
      var text = "\(request.url.absoluteString) "
      for field in request.headers.fields { text += "\(field.name): \(field.value) " }
      if case .data(let body) = request.body { text += String(decoding: body, as: UTF8.self) }
      let content: Data
      switch form {
      case .message: content = try JSONEncoder().encode(["error": ["message": "REFUSED : \(text)"]])
      case .details:
        content = try JSONEncoder().encode([
          "error": ["status": "ABORTED", "message": "No.", "details": text]
        ])
      case .text: content = Data(text.utf8)
      }
      return TransportResponse(status: status, body: content)
    }
  }
}
