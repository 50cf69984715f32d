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

  @Test func aGeneratedKeySignsAndIsReadAgain() throws {
    let key = try #require(try PrivateKey(generatingRSA: ()))
    let (stored, message) = (try #require(key.der), Array("message".utf8))
    let same = try #require(try PrivateKey(der: stored, .rs256))
    let numbers = try #require(same.publicKey.flatMap { DER.numbers(ofPublicKey: $0) })
    #expect(numbers.modulus.count == 256 && numbers.exponent == [1, 0, 1])
    let verifying = try #require(try PublicKey(modulus: numbers.modulus, exponent: numbers.exponent))
    let signature = try #require(key.signature(of: message))
    #expect(verifying.isValid(signature, of: message) && !verifying.isValid(signature, of: message + [0]))
    #expect(same.signature(of: message) == signature)
    #expect(try PrivateKey(generatingRSA: ())?.publicKey != key.publicKey)
    #expect(try PrivateKey(der: stored, .es256) == nil && PrivateKey(der: stored.dropLast(), .rs256) == nil)
    #expect(try PrivateKey(der: [], .rs256) == nil && PrivateKey(der: stored + [0], .rs256) == nil)
  }

  @Test func onlyTheNumbersOfAnRSAKeyAreRead() throws {
    let bytes = try #require(DER.publicKey(modulus: Array(repeating: 0xF1, count: 256), exponent: [1, 0, 1]))
    #expect(DER.numbers(ofPublicKey: bytes)?.modulus == Array(repeating: 0xF1, count: 256))
    for length in bytes.indices { #expect(DER.numbers(ofPublicKey: Array(bytes.prefix(length))) == nil) }
    #expect(DER.numbers(ofPublicKey: bytes + [0]) == nil)
    for (index, byte) in bytes.enumerated() {
      var changed = bytes
      changed[index] = byte ^ 0x80
      guard let numbers = DER.numbers(ofPublicKey: changed) else { continue }
      #expect(DER.publicKey(modulus: numbers.modulus, exponent: numbers.exponent) == changed)
    }
    let curve = try #require(DER.publicKey(x: Self.bytes(Self.x), y: Self.bytes(Self.y)))
    #expect(DER.numbers(ofPublicKey: curve) == nil)
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
