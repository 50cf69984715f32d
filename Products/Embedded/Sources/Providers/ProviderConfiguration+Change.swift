import TenonDocuments
import TenonFoundation
import TenonTransport

extension ProviderConfiguration {
  /// The types of the members of configurations in requests.
  static let fields: [String: FieldType] = [
    "name": .text, "displayName": .text, "enabled": .flag, "clientId": .text, "clientSecret": .text,
    "issuer": .text, "responseType": .object(["idToken": .flag, "code": .flag, "token": .flag]),
    "idpConfig": .object([
      "idpEntityId": .text, "ssoUrl": .text, "signRequest": .flag,
      "idpCertificates": .list(.object(["x509Certificate": .text])),
    ]),
    "spConfig": .object(["spEntityId": .text, "callbackUri": .text]), "appleSignInConfig": .object([:]),
  ]

  /// The members of the schema that are rejected because the backend would otherwise ignore them.
  static let unsupportedMembers: Set<String> = ["appleSignInConfig"]

  /// Applies the members of a request, and checks the result.
  ///
  /// - Parameters:
  ///   - body: the members, of the types of ``fields``.
  ///   - mask: the paths to change, separated by commas. A path includes everything below it, and what the body
  ///     doesn't have is removed. Without a mask, everything is replaced.
  /// - Throws: ``Refusal`` with the name of what is missing, for example `MISSING_ISSUER`, with
  ///   `INVALID_OAUTH_RESPONSETYPE` or `INVALID_CONFIG`.
  func changed(by body: [String: JSON], mask: String?) throws -> ProviderConfiguration {
    let paths = ProjectConfiguration.paths(ofMask: mask)
    let change = ProviderChange(body: body, paths: paths)
    var new = self
    change.text("displayName") { new.displayName = $0 }
    change.value("enabled") { new.enabled = $0?.bool ?? false }
    switch kind {
    case .known:
      change.text("clientId") { new.clientId = $0 }
      change.text("clientSecret") { new.clientSecret = $0 }
    case .oidc:
      change.text("clientId") { new.clientId = $0 }
      change.text("clientSecret") { new.clientSecret = $0 }
      change.text("issuer") { new.issuer = $0 }
      try new.changeResponse(by: change)
    case .saml:
      var saml = saml ?? SAML()
      change.text("idpConfig.idpEntityId") { saml.idpEntityId = $0 }
      change.text("idpConfig.ssoUrl") { saml.ssoUrl = $0 }
      change.value("idpConfig.signRequest") { saml.signRequest = $0?.bool ?? false }
      change.value("idpConfig.idpCertificates") { value in
        saml.certificates = (value?.array ?? []).map { $0["x509Certificate"]?.text ?? "" }
      }
      change.text("spConfig.spEntityId") { saml.spEntityId = $0 }
      change.text("spConfig.callbackUri") { saml.callbackUri = $0 }
      new.saml = saml
    }
    try new.check()
    return new
  }

  /// Applies `responseType`, which selects one of two responses.
  private mutating func changeResponse(by change: ProviderChange) throws {
    var flags = ["idToken": usesCode != true, "code": usesCode == true]
    if change.paths == nil { flags = [:] }
    for name in ["idToken", "code"] {
      change.value("responseType.\(name)") { flags[name] = $0?.bool ?? false }
    }
    var token = false
    change.value("responseType.token") { token = $0?.bool ?? false }
    let (usesToken, usesCode) = (flags["idToken"] == true, flags["code"] == true)
    guard !token, !(usesToken && usesCode) else {
      throw AccountService.refusal(
        "INVALID_OAUTH_RESPONSETYPE",
        "Exactly one of responseType.idToken and responseType.code must be true.")
    }
    self.usesCode = usesCode
  }
}

/// The members of a request that are applied.
private struct ProviderChange {
  let body: [String: JSON]
  /// The paths of the mask; `nil` for everything.
  let paths: [String]?

  /// Calls a closure with the value of a path, if it is to be applied; with `nil` if the body has none.
  func value(_ path: String, _ apply: (JSON?) -> Void) {
    guard paths?.contains(where: { path == $0 || path.hasPrefix("\($0).") }) ?? true else { return }
    apply(path.split(separator: ".").reduce(JSON.object(body)) { $0?[String($1)] })
  }

  /// Calls a closure with the text of a path, if it is to be applied; with `nil` for none or an empty one.
  func text(_ path: String, _ apply: (String?) -> Void) {
    value(path) { value in apply(value?.text.flatMap { $0.isEmpty ? nil : $0 }) }
  }
}

extension ProviderConfiguration {
  /// The greatest length of a name, an ID or a secret, in bytes.
  private static let longestText = 2_048
  /// The greatest length of a certificate, in bytes.
  private static let longestCertificate = 16_384
  /// How many certificates a SAML provider may have.
  private static let mostCertificates = 10

  /// Checks that nothing is missing and that everything is what its name says.
  private func check() throws {
    let texts = [
      displayName, clientId, clientSecret, issuer, saml?.idpEntityId, saml?.ssoUrl, saml?.spEntityId,
      saml?.callbackUri,
    ]
    guard texts.allSatisfy({ ($0?.utf8.count ?? 0) <= Self.longestText }) else {
      throw AccountService.refusal("INVALID_CONFIG", "Texts have at most \(Self.longestText) bytes.")
    }
    switch kind {
    case .known:
      guard clientId != nil else { throw Self.missing("MISSING_OAUTH_CLIENT_ID", "clientId") }
      guard clientSecret != nil else { throw Self.missing("MISSING_OAUTH_CLIENT_SECRET", "clientSecret") }
    case .oidc:
      guard clientId != nil else { throw Self.missing("MISSING_OAUTH_CLIENT_ID", "clientId") }
      guard let issuer else { throw Self.missing("MISSING_ISSUER", "issuer") }
      guard Self.isURL(issuer, schemes: ["https"]), !issuer.contains("?"), !issuer.contains("#") else {
        throw AccountService.refusal("INVALID_CONFIG", "issuer must be an https URL without a query.")
      }
      guard usesCode != true || clientSecret != nil else {
        throw Self.missing("MISSING_OAUTH_CLIENT_SECRET", "clientSecret")
      }
    case .saml: try checkSAML()
    }
  }

  private func checkSAML() throws {
    guard let saml else { return }
    guard saml.idpEntityId != nil else { throw Self.missing("INVALID_CONFIG", "idpConfig.idpEntityId") }
    guard let url = saml.ssoUrl else { throw Self.missing("INVALID_CONFIG", "idpConfig.ssoUrl") }
    guard Self.isURL(url) else {
      throw AccountService.refusal("INVALID_CONFIG", "idpConfig.ssoUrl must be an http or https URL.")
    }
    guard (1...Self.mostCertificates).contains(saml.certificates.count) else {
      throw AccountService.refusal(
        "INVALID_CONFIG", "idpConfig.idpCertificates must have 1 to \(Self.mostCertificates) certificates.")
    }
    guard saml.certificates.allSatisfy(Self.isCertificate) else {
      throw AccountService.refusal(
        "INVALID_CONFIG",
        "x509Certificate must be one certificate in PEM (-----BEGIN CERTIFICATE-----) of at most \(Self.longestCertificate) bytes."
      )
    }
    guard saml.spEntityId != nil else {
      throw Self.missing("MISSING_SAML_RELYING_PARTY_CONFIG", "spConfig.spEntityId")
    }
    guard let callback = saml.callbackUri else {
      throw Self.missing("MISSING_SAML_RELYING_PARTY_CONFIG", "spConfig.callbackUri")
    }
    guard Self.isURL(callback) else {
      throw AccountService.refusal("INVALID_CONFIG", "spConfig.callbackUri must be an http or https URL.")
    }
  }

  private static func missing(_ code: String, _ name: String) -> Refusal {
    AccountService.refusal(code, "\(name) is missing.")
  }

  private static func isURL(_ text: String, schemes: Set<String> = ["http", "https"]) -> Bool {
    guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased() else { return false }
    return schemes.contains(scheme) && url.host?.isEmpty == false
  }

  /// Returns whether a text is one certificate in PEM (RFC 7468): what it contains is a sequence in DER.
  private static func isCertificate(_ text: String) -> Bool {
    guard text.utf8.count <= longestCertificate else { return false }
    let lines = text.split(whereSeparator: \.isNewline).map { String($0).trimmed }
      .filter { !$0.isEmpty }
    guard lines.count > 2, lines.first == "-----BEGIN CERTIFICATE-----",
      lines.last == "-----END CERTIFICATE-----",
      let bytes = Data(wireBase64: lines.dropFirst().dropLast().joined())
    else { return false }
    return isSequence([UInt8](bytes))
  }

  /// Returns whether bytes are a sequence in DER, of up to 65,535 bytes.
  private static func isSequence(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 4, bytes[0] == 0x30 else { return false }
    let length = bytes.dropFirst(2)
    switch bytes[1] {
    case 0..<0x80: return length.count == bytes[1]
    case 0x81: return length.count - 1 == bytes[2]
    case 0x82: return length.count - 2 == UInt16(clamping: bytes[2]) << 8 | UInt16(clamping: bytes[3])
    default: return false
    }
  }
}
