package import Foundation

/// The MD5 digest (RFC 1321) of bytes that arrive in pieces.
///
/// It is here because bloom filters of documents' names are built on it, and Storage's metadata carries it as a check of
/// content. It protects nothing from people.
/// The state can be kept, so that an upload continues after a restart without reading everything again.
package struct MD5: Sendable, Hashable, Codable {
  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
  /// What doesn't fill a block of 64 bytes yet.
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  package init() {}

  package mutating func update(_ bytes: Data) {
    length &+= UInt64(bytes.count)
    absorb([UInt8](bytes))
  }

  /// The 16 bytes of the digest of everything so far.
  package var digest: Data {
    var copy = self
    let bits = length &* 8
    var padding: [UInt8] = [0x80]
    padding += [UInt8](repeating: 0, count: (119 - Int(length % 64)) % 64)
    padding += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    copy.absorb(padding)
    return Data(
      copy.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    )
  }

  private mutating func absorb(_ bytes: [UInt8]) {
    let input = pending.isEmpty ? bytes : pending + bytes
    var position = 0
    while input.count - position >= 64 {
      transform(input, at: position)
      position += 64
    }
    pending = Array(input[position...])
  }

  // Plain loops over arrays of one type: in a debug build this is ten times as fast as generic code.
  private mutating func transform(_ bytes: [UInt8], at start: Int) {
    var words = [UInt32](repeating: 0, count: 16)
    var index = 0
    while index < 16 {
      let at = start + 4 * index
      let low = UInt32(bytes[at]) | UInt32(bytes[at + 1]) << 8
      words[index] = low | UInt32(bytes[at + 2]) << 16 | UInt32(bytes[at + 3]) << 24
      index += 1
    }
    var a = state[0]
    var b = state[1]
    var c = state[2]
    var d = state[3]
    let constants = Self.constants
    let turns = Self.turns
    var step = 0
    while step < 64 {
      let round = step >> 4
      var sum = a &+ constants[step]
      if round == 0 {
        sum = sum &+ ((b & c) | (~b & d)) &+ words[step]
      } else if round == 1 {
        sum = sum &+ ((d & b) | (~d & c)) &+ words[(5 &* step &+ 1) & 15]
      } else if round == 2 {
        sum = sum &+ (b ^ c ^ d) &+ words[(3 &* step &+ 5) & 15]
      } else {
        sum = sum &+ (c ^ (b | ~d)) &+ words[(7 &* step) & 15]
      }
      let turn = turns[round &* 4 &+ (step & 3)]
      a = d
      d = c
      c = b
      b = b &+ (sum &<< turn | sum &>> (32 &- turn))
      step += 1
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
