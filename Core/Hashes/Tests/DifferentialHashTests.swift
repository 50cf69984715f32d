import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

@testable import TenonHashes

/// Comparisons with other implementations, for input of all lengths around the sizes of blocks and in pieces.
@Suite(.limited) struct DifferentialHashTests {
  /// Input without a pattern.
  private static func input(_ count: Int) -> Data {
    var state = UInt64(count) &* 0x9E37_79B9_7F4A_7C15 | 1
    return Data(
      (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state)
      })
  }

  /// The definition, bit by bit.
  private static func crc32c(_ bytes: Data) -> UInt32 {
    var register = UInt32.max
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 {
        let isOdd = register & 1 == 1
        register >>= 1
        if isOdd { register ^= 0x82F6_3B78 }
      }
    }
    return ~register
  }

  @Test func crc32cOfAnyLengthAndPositionIsThatOfItsDefinition() {
    let bytes = Self.input(300)
    for start in 0..<17 {
      for end in start...bytes.count {
        var crc = CRC32C()
        crc.update(bytes[start..<end])
        guard crc.value != Self.crc32c(bytes[start..<end]) else { continue }
        Issue.record("\(start)..<\(end)")
      }
    }
  }

  @Test func piecesOfAnySizeHaveTheDigestsOfTheWhole() {
    let bytes = Self.input(5_000)
    var whole = ContentDigest()
    whole.update(bytes)
    for size in [1, 3, 15, 16, 17, 63, 64, 65, 127, 128, 1_000] {
      var pieces = ContentDigest()
      var rest = bytes[...]
      while !rest.isEmpty {
        pieces.update(rest.prefix(size))
        rest = rest.dropFirst(size)
      }
      #expect(pieces == whole, "\(size)")
    }
  }

  #if os(Linux)
    @Test(arguments: [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 1_000_003])
    func md5IsThatOfTheSystemsTool(count: Int) throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "tenon-md5-\(UUID())")
      let bytes = Self.input(count)
      try bytes.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let process = Process()
      let output = Pipe.exclusive
      process.executableURL = URL(filePath: "/usr/bin/md5sum")
      process.arguments = [file.path]
      process.standardOutput = output
      try process.start()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      var md5 = MD5()
      md5.update(bytes)
      let digest = md5.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      #expect(text.hasPrefix("\(digest) "), "\(text)")
    }
  #endif
}
