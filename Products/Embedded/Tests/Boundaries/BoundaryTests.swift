import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Every field that is a number, a date, a range or a length, with every value at the limits. The backend
/// accepts or rejects the request; a value that it can't handle would end this process.
@Suite(.limited) struct BoundaryTests {
  @Test(arguments: BoundaryField.all)
  func everyValueIsAcceptedOrRejected(field: BoundaryField) async throws {
    let backend = Backend()
    backend.embedded.onCall("echo") { (request: CallableRequest<Double>) in request.data }
    let base = "https://firebasestorage.googleapis.com/v0/b/demo/o"
    for (name, content) in [("a", "abc"), ("empty", "")] {
      let made = try await backend.send(.post, "\(base)?name=\(name)", body: Data(content.utf8))
      #expect(made.status == 200)
    }
    #expect(try await backend.administrate("accounts", ["localId": "u"]).status == 200)
    for value in field.values {
      let response = try await field.request(backend, value)
      #expect(
        (200..<500).contains(response.status), "\(field.name): \(value.prefix(100)): \(response.excerpt)")
      let hasValidFields = response.headers.fields.allSatisfy(\.isValid)
      #expect(hasValidFields, "\(field.name): \(value.prefix(100))")
    }
    // No value that was accepted prevents the other data from being read.
    for method in ["accounts:query", "accounts:lookup"] {
      let status = try await backend.administrate(method, ["localId": ["u"]]).status
      #expect(status == 200, "\(field.name): \(method)")
    }
    for url in [base, "\(base)/a", "\(base)/a?alt=media"] {
      let status = try await backend.send(.get, url).status
      #expect(status == 200, "\(field.name): \(url)")
    }
  }
}
