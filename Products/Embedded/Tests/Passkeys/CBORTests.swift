import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonEmbedded

/// The examples of RFC 8949, appendix A, and what hostile bytes can contain.
@Suite(.limited) struct CBORTests {
  @Test(
    arguments: [
      ([0x00], .integer(0)), ([0x17], .integer(23)), ([0x18, 0x18], .integer(24)),
      ([0x19, 0x03, 0xE8], .integer(1_000)),
      ([0x20], .integer(-1)), ([0x38, 0x63], .integer(-100)),
      ([0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .integer(.min)),
      ([0x44, 1, 2, 3, 4], .bytes([1, 2, 3, 4])), ([0x64, 0x49, 0x45, 0x54, 0x46], .text("IETF")),
      ([0x83, 1, 2, 3], .array([.integer(1), .integer(2), .integer(3)])), ([0xF5], .simple(21)),
      ([0xA2, 1, 2, 3, 4], .map([.integer(1): .integer(2), .integer(3): .integer(4)])),
    ] as [([UInt8], CBOR)])
  func valuesAreRead(bytes: [UInt8], value: CBOR) { #expect(CBOR(bytes) == value) }

  @Test(
    arguments: [
      [], [0x18], [0x44, 1], [0x5F, 0x41, 0, 0xFF], [0x83, 1, 2], [0xA1, 1], [0xA2, 1, 2, 1, 3],
      [0xC0, 0x00],
      [0xF9, 0, 0], [0x1C], [0x00, 0x00], [0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      Array(repeating: 0x81, count: 10_000),
    ] as [[UInt8]])
  func whatIsNoValueIsRefused(bytes: [UInt8]) { #expect(CBOR(bytes) == nil) }

  @Test func randomBytesAndCutAuthenticatorDataAreRefused() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...120, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      _ = CBOR(bytes)
      _ = AuthenticatorData(bytes)
    }
  }
}
