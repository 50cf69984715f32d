import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonSignatures

/// Keys of the system's libcrypto, with the examples of RFC 7515, appendix A.
@Suite(.limited) struct SignatureKeyTests {
  /// The key of appendix A.3.1.
  private static let (x, y) = (
    "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
  )
  private static let signed = Array(
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      .utf8)
  /// The signature of the appendix in DER: the sequence of its two halves.
  private static let signature = [UInt8](
    [0x30, 0x45, 0x02, 0x20]
      + bytes("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
      .prefix(32)
      + [0x02, 0x21, 0]
      + bytes("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
      .suffix(32))

  private static func bytes(_ text: String) -> [UInt8] { Base64URL.decode(text).map { [UInt8]($0) } ?? [] }

  private static func key(y: [UInt8] = bytes(y)) throws -> PublicKey? {
    try DER.publicKey(x: bytes(x), y: y).flatMap { try PublicKey($0, .es256) }
  }

  @Test func aSignatureOfTheCurveIsVerified() throws {
    let key = try #require(try Self.key())
    #expect(key.isValid(Self.signature, of: Self.signed))
    #expect(!key.isValid(Self.signature, of: Self.signed + [0]))
    for index in Self.signature.indices {
      var changed = Self.signature
      changed[index] ^= 1
      #expect(!key.isValid(changed, of: Self.signed), "\(index)")
    }
    #expect(!key.isValid([], of: Self.signed))
  }

  @Test func aPointThatIsNotOnTheCurveIsNoKey() throws {
    #expect(try Self.key(y: Self.bytes(Self.x)) == nil)
    #expect(DER.publicKey(x: Self.bytes(Self.x), y: []) == nil)
  }

  @Test func aKeyOfAnotherAlgorithmIsRefused() throws {
    let bytes = try #require(DER.publicKey(x: Self.bytes(Self.x), y: Self.bytes(Self.y)))
    #expect(try PublicKey(bytes, .rs256) == nil && PublicKey(bytes + [0], .es256) == nil)
    #expect(try PublicKey(modulus: [1, 2, 3], exponent: [1, 0, 1]) == nil)
    #expect(try PublicKey(modulus: Array(repeating: 255, count: 1_026), exponent: [1, 0, 1]) == nil)
    #expect(
      try PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", .es256) == nil)
  }
}
