import TenonFoundation
import TenonHashes
import TenonSignatures

/// What an authenticator signs, beside the client's data (WebAuthn, section 6.1).
struct AuthenticatorData: Sendable {
  /// A key that an authenticator has created.
  struct Credential: Sendable {
    /// The ID, at most 1023 bytes.
    let id: [UInt8]
    let key: Passkey.Key
  }

  /// The SHA-256 of the relying party's ID.
  let relyingPartyHash: [UInt8]
  /// Whether the user was present.
  let isUserPresent: Bool
  /// Whether the authenticator verified who the user is, for example by a fingerprint or a PIN.
  let isUserVerified: Bool
  /// The authenticator's counter.
  let signCount: UInt32
  /// The new key; `nil` when the user signs in.
  let credential: Credential?

  /// Reads the data.
  ///
  /// - Returns: `nil` if it isn't in this form, or if the key is of another kind than `ES256` and `RS256`.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 37 else { return nil }
    relyingPartyHash = Array(bytes[..<32])
    let flags = bytes[32]
    isUserPresent = flags & 0x01 != 0
    isUserVerified = flags & 0x04 != 0
    // Checked: bytes.
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var rest = bytes[37...]
    if flags & 0x40 != 0 {
      // The authenticator's model, which isn't used.
      rest = rest.dropFirst(16)
      guard rest.count >= 2 else { return nil }
      // Checked: bytes.
      let size = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(2)
      guard (1...1_023).contains(size), rest.count >= size else { return nil }
      // Checked: the size is positive.
      let id = Array(rest.prefix(size))
      // Checked: the size is positive.
      rest = rest.dropFirst(size)
      guard let described = CBOR(from: &rest), let key = Self.key(described) else { return nil }
      credential = Credential(id: id, key: key)
    } else {
      credential = nil
    }
    // Extensions aren't used.
    if flags & 0x80 != 0 { guard case .map? = CBOR(from: &rest) else { return nil } }
    guard rest.isEmpty else { return nil }
  }

  /// Returns a key of COSE (RFC 9053, section 7, and RFC 8230, section 4).
  private static func key(_ key: CBOR) -> Passkey.Key? {
    switch (key[.integer(1)], key[.integer(3)]) {
    case (.integer(2), .integer(-7)):
      guard key[.integer(-1)] == .integer(1), let x = key[.integer(-2)]?.byteString,
        let y = key[.integer(-3)]?.byteString
      else { return nil }
      return DER.publicKey(x: x, y: y).map { Passkey.Key(bytes: Data($0), algorithm: .es256) }
    case (.integer(3), .integer(-257)):
      guard let modulus = key[.integer(-1)]?.byteString, let exponent = key[.integer(-2)]?.byteString else {
        return nil
      }
      return DER.publicKey(modulus: modulus, exponent: exponent).map {
        Passkey.Key(bytes: Data($0), algorithm: .rs256)
      }
    default: return nil
    }
  }
}
