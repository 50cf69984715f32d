import Foundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonEmbedded

/// The codes of authenticator apps, by the examples of their specifications.
@Suite(.limited) struct OneTimePasswordTests {
  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// RFC 3174, section 7.3, and messages at the limits of a block.
  @Test(arguments: [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (
      String(repeating: "0123456701234567012345670123456701234567012345670123456701234567", count: 10),
      "dea356a2cddd90c7a7ecedc5ebb563934f460452"
    ),
    (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (String(repeating: "a", count: 56), "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
  ])
  func digestsAreThoseOfTheStandard(message: String, digest: String) {
    #expect(Self.hex(SHA1.digest(Array(message.utf8))) == digest)
  }

  /// RFC 2202, section 3.
  @Test func authenticationCodesAreThoseOfTheStandard() {
    let key = [UInt8](repeating: 0x0B, count: 20)
    #expect(
      Self.hex(SHA1.authenticationCode(of: Array("Hi There".utf8), key: key))
        == "b617318655057264e28bc0b6fb378c8ef146be00")
    let long = [UInt8](repeating: 0xAA, count: 80)
    let message = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
    #expect(
      Self.hex(SHA1.authenticationCode(of: message, key: long))
        == "aa4ae5e15272d00e95705637ce8a3b55ed402112")
  }

  /// RFC 6238, appendix B: the last six digits of the codes with SHA-1.
  @Test(
    arguments: [
      (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
      (2_000_000_000, "279037"), (20_000_000_000, "353130"),
    ] as [(Int64, String)])
  func codesAreThoseOfTheStandard(seconds: Int64, code: String) throws {
    let password = try #require(OneTimePassword(sharedSecretKey: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
    let time = Timestamp(seconds: seconds, nanoseconds: 0)
    #expect(password.code(of: OneTimePassword.step(at: time)) == code)
  }

  /// RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ])
  func base32IsThatOfTheStandard(text: String, encoded: String) {
    #expect(Base32.encode(Array(text.utf8)) == encoded)
    #expect(Base32.decode(encoded) == Array(text.utf8))
    #expect(Base32.decode(encoded.lowercased()) == Array(text.utf8))
  }

  @Test(arguments: ["", "1", "MZXW6=", "MZ XW", "é", String(repeating: "A", count: 1_001)])
  func aTextThatIsNoSecretIsNone(text: String) {
    #expect(OneTimePassword(sharedSecretKey: text) == nil)
  }

  @Test func codesOfOneStepAroundNowAreAcceptedAndNoneTwice() {
    let password = OneTimePassword()
    let now = Timestamp(seconds: 3_000, nanoseconds: 0)
    for step in 98...102 as ClosedRange<Int64> {
      let isNear = (99...101).contains(step)
      #expect(password.step(of: password.code(of: step), at: now, after: nil) == (isNear ? step : nil))
    }
    #expect(password.step(of: password.code(of: 100), at: now, after: 100) == nil)
    #expect(password.step(of: password.code(of: 99), at: now, after: 100) == nil)
    #expect(password.step(of: password.code(of: 101), at: now, after: 100) == 101)
    #expect(OneTimePassword() != password)
  }
}
