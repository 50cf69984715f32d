import Foundation
import TenonTestSupport
import Testing

@testable import TenonHashes

@Suite(.limited) struct ContentDigestTests {
  /// RFC 3720, appendix B.4, which lists the bytes in the order of transmission.
  @Test(
    arguments: [
      ([UInt8](repeating: 0, count: 32), UInt32(0x8A91_36AA)),
      ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
      ((0..<32).map { UInt8($0) }, 0x46DD_794E),
      ((0..<32).map { UInt8(31 - $0) }, 0x113F_DB5C),
      (Array("123456789".utf8), 0xE306_9283),
    ] as [([UInt8], UInt32)]
  )
  func crc32cMatchesTheRFC(bytes: [UInt8], checksum: UInt32) {
    var crc = CRC32C()
    crc.update(bytes)
    #expect(crc.value == checksum)
  }

  @Test func crc32cIsWrittenInBigEndianOrder() {
    var crc = CRC32C()
    #expect(crc.base64 == "AAAAAA==")
    crc.update(Array("123456789".utf8))
    #expect(crc.base64 == "4waSgw==")
  }

  @Test func chunksAndAStoredStateHaveTheDigestOfTheWhole() throws {
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
