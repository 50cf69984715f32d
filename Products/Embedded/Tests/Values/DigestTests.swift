import Foundation
import Testing

@testable import TenonEmbedded

struct DigestTests {
  /// RFC 1321, appendix A.5.
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"),
    ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func md5GivesTheDigestsOfTheRFC(text: String, digest: String) {
    var md5 = MD5()
    md5.update(Data(text.utf8))
    #expect(md5.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
  }

  /// RFC 3720, appendix B.4, whose bytes stand there in the order of the wire.
  @Test(
    arguments: [
      ([UInt8](repeating: 0, count: 32), UInt32(0x8A91_36AA)),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      ((0..<32).map { UInt8($0) }, 0x46DD_794E),
      ((0..<32).map { UInt8(31 - $0) }, 0x113F_DB5C),
      (Array("123456789".utf8), 0xE306_9283),
    ] as [([UInt8], UInt32)]
  )
  func crc32cGivesTheChecksumsOfTheRFC(bytes: [UInt8], checksum: UInt32) {
    var crc = CRC32C()
    crc.update(bytes)
    #expect(crc.value == checksum)
  }

  @Test func piecesAndAKeptStateGiveTheDigestOfTheWhole() throws {
    let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    var whole = ContentDigest()
    whole.update(bytes)
    var pieces = ContentDigest()
    var rest = bytes
    for size in [1, 63, 64, 65, 127, 1_000, 50_000] {
      pieces.update(rest.prefix(size))
      rest = rest.dropFirst(size)
      pieces = try JSONDecoder().decode(ContentDigest.self, from: JSONEncoder().encode(pieces))
    }
    pieces.update(rest)
    #expect(pieces.md5Hash == whole.md5Hash)
    #expect(pieces.crc32cHash == whole.crc32cHash)
    #expect(pieces.size == 100_000)
  }
}
