import TenonFoundation
import TenonTransport

/// The assertion of a response of SAML (`SAMLResponse`), in the Auth emulator's form: JSON such as
/// `{"assertion":{"subject":{"nameId":"ada@example.com"},"attributeStatements":{"name":"Ada"}}}`. What real providers
/// send, signed XML, isn't read.
struct SAMLAssertion: Sendable, Hashable {
  /// The user at the provider, which is often an address.
  let nameID: String
  /// What the provider says about the user; `nil` if it says nothing.
  let attributes: JSON?

  /// The address of the user; `nil` if ``nameID`` isn't one.
  var email: String? { EmailAddress.checked(nameID) == nil ? nil : nameID }

  /// The greatest size of a response in bytes: its attributes are in every token of the session.
  static let largest = 65_536

  /// Parses a response.
  ///
  /// - Throws: ``Refusal`` with `INVALID_IDP_RESPONSE`, or with status 501 for XML.
  init(_ text: String) throws {
    guard text.utf8.count <= Self.largest else {
      throw AccountService.refusal(
        "INVALID_IDP_RESPONSE", "((The SAMLResponse has more than \(Self.largest) bytes.))")
    }
    guard text.hasPrefix("{"), let response = try? JSON(parsing: Data(text.utf8)) else {
      throw Refusal.unimplemented("responses of SAML that aren't JSON")
    }
    guard let assertion = response["assertion"] else { throw Self.missing("assertion") }
    guard let subject = assertion["subject"] else { throw Self.missing("assertion.subject") }
    guard let nameID = subject["nameId"]?.string, !nameID.isEmpty else {
      throw Self.missing("assertion.subject.nameId")
    }
    self.nameID = nameID
    attributes = assertion["attributeStatements"].flatMap { $0 == .null ? nil : $0 }
  }

  private static func missing(_ name: String) -> Refusal {
    AccountService.refusal("INVALID_IDP_RESPONSE", "((Missing \(name) in SAMLResponse.))")
  }
}
