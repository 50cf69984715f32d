import TenonFoundation
import TenonHashes
import TenonSignatures
import TenonTransport
import TenonTransportInterop

/// Whose signatures of URLs and forms are accepted, and how they are verified.
struct URLSigners: Sendable {
  /// The public keys in PEM by the addresses of service accounts (``EmbeddedSettings/urlSigners``).
  let keys: [String: String]?
  /// The active key of a service account that the URL names; `nil` if there is none.
  var hmacKey: HMACKey?

  /// Returns whether the signatures of an account are verified, or the account is refused.
  func verifies(_ account: String) -> Bool { keys != nil || account == CanonicalRequest.emulatorsSigner }

  /// Verifies a signature of version 4.
  ///
  /// Without keys, only URLs of ``CanonicalRequest/emulatorsSigner`` are verified, by comparing the checksum of
  /// the text that TenonStorage puts there instead of a signature. All other signers are accepted.
  ///
  /// - Parameters:
  ///   - signature: the signature in hexadecimal digits.
  ///   - text: the text that was signed.
  ///   - account: the address of the service account.
  /// - Returns: why it isn't accepted; `nil` if it is.
  func problem(of signature: String, by account: String, over text: String) -> SignedURL.Problem? {
    guard let keys else {
      guard account == CanonicalRequest.emulatorsSigner else { return nil }
      let checksum = SHA256.digest(Data(text.utf8)).hexadecimal
      return signature.lowercased() == checksum ? nil : .otherSignature
    }
    guard let pem = keys[account] else { return .unknownSigner(account) }
    do throws(CryptographyUnavailable) {
      guard let key = try Self.key(pem) else { return .unusableKey(account) }
      return key.isValid(Self.bytes(signature), of: Array(text.utf8)) ? nil : .otherSignature
    } catch {
      return .noCryptography(error.reason)
    }
  }

  /// Verifies a signature with the key of a service account.
  ///
  /// - Parameters:
  ///   - signature: the signature in hexadecimal digits.
  ///   - id: the access ID of the key.
  ///   - scope: the scope of the signature.
  ///   - text: the text that was signed.
  /// - Returns: why it isn't accepted; `nil` if it is.
  func problem(of signature: String, with id: String, scope: String, over text: String) -> SignedURL.Problem?
  {
    guard let hmacKey, hmacKey.id == id else { return .unknownKey(id) }
    let expected = hmacKey.signature(of: text, scope: scope)
    let isEqual = PasswordHasher.areEqual(expected.utf8, signature.lowercased().utf8)
    return isEqual ? nil : .otherSignature
  }

  /// Reads an RSA public key.
  ///
  /// - Parameter pem: a `SubjectPublicKeyInfo` in PEM (RFC 7468, section 13).
  /// - Returns: `nil` if the text is no such key.
  static func key(_ pem: String) throws(CryptographyUnavailable) -> PublicKey? {
    let lines = pem.split(whereSeparator: \.isNewline).map { String($0).trimmed }
    guard let begin = lines.firstIndex(of: "-----BEGIN PUBLIC KEY-----"),
      let end = lines[begin...].firstIndex(of: "-----END PUBLIC KEY-----"),
      // Checked: the end is behind the beginning.
      let bytes = Data(base64Encoded: lines[(begin + 1)..<end].joined())
    else { return nil }
    return try PublicKey(Array(bytes), .rs256)
  }

  /// Returns the bytes of hexadecimal digits, whose number is even.
  private static func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count - 1, by: 2).map {
      UInt8(truncatingIfNeeded: values[$0] * 16 + values[$0 + 1])
    }
  }
}

extension CanonicalRequest {
  /// Creates the request that a signed URL permits, as its signer has written it.
  ///
  /// - Parameters:
  ///   - request: the request that was received.
  ///   - route: its URL.
  ///   - fields: the names of the header fields that are signed.
  init(_ request: TransportRequest, _ route: Route, fields: [String]) {
    let query = route.encodedQuery.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let spaced = String(part.map { $0 == "+" ? " " : $0 })
        return PercentEncoding.decode(spaced) ?? spaced
      }
      return Item(parts[0], parts.count == 2 ? parts[1] : "")
    }
    let components = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
    let host = components?.encodedHost ?? ""
    let headers = fields.flatMap { name in
      name == "host"
        ? [Item(name, components?.port.map { "\(host):\($0)" } ?? host)]
        : request.headers.values(of: name).map { Item(name, $0) }
    }
    let content = headers.first { $0.name == "x-goog-content-sha256" }?.value
    self.init(
      request.method.rawValue, PercentEncoding.decode(route.encodedPath) ?? route.encodedPath,
      query: query.filter { $0.name.lowercased() != "x-goog-signature" }, headers: headers,
      payload: content ?? "UNSIGNED-PAYLOAD")
  }
}
