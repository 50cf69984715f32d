import Foundation

/// The MD5 digest (RFC 1321) of bytes that arrive in pieces.
///
/// It is here because Storage's metadata carries it as a check of content. It protects nothing from people.
/// The state can be kept, so that an upload continues after a restart without reading everything again.
struct MD5: Sendable, Hashable, Codable {
  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  mutating func update(_ bytes: some Collection<UInt8>) {
    length &+= UInt64(bytes.count)
    let done: Void? = bytes.withContiguousStorageIfAvailable { absorb($0[...]) }
    if done == nil { absorb(Array(bytes)[...]) }
  }

  /// The 16 bytes of the digest of everything so far.
  var digest: Data {
    var copy = self
    let bits = length &* 8
    var padding: [UInt8] = [0x80]
    padding += [UInt8](repeating: 0, count: (119 - Int(length % 64)) % 64)
    padding += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    copy.absorb(padding[...])
    return Data(
      copy.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    )
  }

  private mutating func absorb<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes)
  where Bytes.Index == Int {
    var position = bytes.startIndex
    if !pending.isEmpty {
      let taken = min(64 - pending.count, bytes.count)
      pending += bytes.prefix(taken)
      position += taken
      guard pending.count == 64 else { return }
      transform(pending, at: 0)
      pending.removeAll(keepingCapacity: true)
    }
    while bytes.endIndex - position >= 64 {
      transform(bytes, at: position)
      position += 64
    }
    pending += bytes[position...]
  }

  private mutating func transform<Bytes: RandomAccessCollection<UInt8>>(_ bytes: Bytes, at start: Int)
  where Bytes.Index == Int {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let mixed: UInt32
      let word: Int
      switch step >> 4 {
      case 0: (mixed, word) = ((b & c) | (~b & d), step)
      case 1: (mixed, word) = ((d & b) | (~d & c), (5 * step + 1) & 15)
      case 2: (mixed, word) = (b ^ c ^ d, (3 * step + 5) & 15)
      default: (mixed, word) = (c ^ (b | ~d), (7 * step) & 15)
      }
      let at = start + 4 * word
      let input =
        UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2]) << 16
        | UInt32(bytes[at + 3]) << 24
      let sum = a &+ mixed &+ Self.constants[step] &+ input
      let turn = Self.turns[(step >> 4) * 4 + (step & 3)]
      (a, d, c, b) = (d, c, b, b &+ (sum << turn | sum >> (32 - turn)))
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
  }

  /// How far each step turns, per round of sixteen.
  private static let turns: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

  /// The whole part of 4294967296 times the sine of each step's number, as the RFC defines the table.
  private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
