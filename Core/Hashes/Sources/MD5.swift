#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// The MD5 digest (RFC 1321), computed incrementally.
///
/// Firestore's bloom filters are defined by it, and Storage's metadata contains it as a checksum. It offers no
/// protection against deliberate changes (RFC 6151).
///
/// The state is `Codable`, so an upload can continue after a restart without reading its content again. It depends only
/// on the input, not on the pieces in which the input was appended: values with the same input are equal. It is a value
/// type without locks, of at most 63 bytes of pending input and a few words.
package struct MD5: Sendable, Hashable, Codable {
  /// The four state words A, B, C and D.
  private var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
  /// The input that does not fill a block of 64 bytes yet.
  private var pending: [UInt8] = []
  /// The length of the input so far in bytes, modulo 2^64.
  private var length: UInt64 = 0

  /// Creates the digest of no bytes.
  package init() {}

  /// Decodes the state of a digest.
  ///
  /// - Throws: `DecodingError` also for a state that no input has: its words are not four, or the pending input is not
  ///   the rest of a division of the length by 64.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    state = try container.decode([UInt32].self, forKey: .state)
    pending = try container.decode([UInt8].self, forKey: .pending)
    length = try container.decode(UInt64.self, forKey: .length)
    guard state.count == 4, UInt64(pending.count) == length % 64 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "It isn't the state of a digest."))
    }
  }

  /// Appends bytes to the input. The bytes that do not fill a block of 64 are kept until more follow.
  ///
  /// - Parameter bytes: the bytes, in pieces of any size; none has no effect.
  /// - Complexity: O(*n*) in the number of bytes, which are copied.
  package mutating func update(_ bytes: Data) {
    length &+= UInt64(bytes.count)
    absorb([UInt8](bytes))
  }

  /// The digest of the input so far, 16 bytes, in the order of RFC 1321, section 3.5. More input may follow.
  ///
  /// The padding (sections 3.1 and 3.2) is applied to a copy: a one bit, zero bits up to 8 bytes before the end of a
  /// block, and the length in bits as a little-endian number.
  ///
  /// - Complexity: O(1): at most two blocks are processed.
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

  /// Processes all complete blocks of the pending input followed by the given bytes, and keeps the rest, at most 63
  /// bytes.
  private mutating func absorb(_ bytes: [UInt8]) {
    let input = pending.isEmpty ? bytes : pending + bytes
    var position = 0
    while input.count - position >= 64 {
      transform(input, at: position)
      position += 64
    }
    pending = Array(input[position...])
  }

  /// Applies the 64 operations of RFC 1321, section 3.4, to a block of 64 bytes.
  ///
  /// Plain loops over arrays of one type are ten times as fast as generic code in a debug build.
  ///
  /// A block is sixteen little-endian words. Each of the four rounds uses every word once, in an order of its own, and
  /// another function of B, C and D. All additions wrap around.
  ///
  /// - Parameters:
  ///   - bytes: the input.
  ///   - start: the index of the block's first byte.
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

  /// The rotations in bits, four for each round of sixteen operations.
  private static let turns: [UInt32] = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

  /// The table T of RFC 1321: the integer parts of 4294967296 times abs(sin(i)), i in radians, for i from 1 to 64.
  private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
