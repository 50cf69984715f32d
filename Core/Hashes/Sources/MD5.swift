package import TenonFoundation

/// The MD5 digest (RFC 1321), computed incrementally.
///
/// Firestore's bloom filters are defined by it, and Storage's metadata contains it as a checksum. It offers
/// no protection against deliberate changes (RFC 6151).
///
/// The state is `Codable`, so an upload can continue after a restart without reading its content again. It
/// depends only on the input, not on the pieces in which the input was appended: values with the same input
/// are equal. It is a value type without locks, of at most 63 bytes of pending input and a few words.
package struct MD5: Sendable, Hashable, Codable {
  /// The four state words A, B, C and D.
  private var state = MD5Words(a: 0x6745_2301, b: 0xEFCD_AB89, c: 0x98BA_DCFE, d: 0x1032_5476)
  /// The input that doesn't fill a block of 64 bytes yet.
  private var pending: [UInt8] = []
  /// The length of the input so far in bytes, modulo 2^64.
  private var length: UInt64 = 0

  /// The names of the stored properties.
  private enum CodingKeys: CodingKey { case state, pending, length }

  /// Creates the digest of no bytes.
  package init() {}

  /// Decodes the state of a digest.
  ///
  /// - Throws: `DecodingError` also for a state that no input has: its words aren't four, or the pending
  ///   input isn't the rest of a division of the length by 64.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let words = try container.decode([UInt32].self, forKey: .state)
    pending = try container.decode([UInt8].self, forKey: .pending)
    length = try container.decode(UInt64.self, forKey: .length)
    guard words.count == 4, UInt64(pending.count) == length % 64 else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "It isn't the state of a digest."))
    }
    state = MD5Words(a: words[0], b: words[1], c: words[2], d: words[3])
  }

  /// Encodes the state: the words as `state`, the input that fills no block as `pending`, and the `length` in
  /// bytes.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state.words, forKey: .state)
    try container.encode(pending, forKey: .pending)
    try container.encode(length, forKey: .length)
  }

  /// Appends bytes to the input. The bytes that don't fill a block of 64 are kept until more follow.
  ///
  /// - Parameter bytes: the bytes, in pieces of any size; none has no effect.
  /// - Complexity: O(*n*) in the number of bytes. Complete blocks aren't copied.
  package mutating func update(_ bytes: Data) { bytes.withUnsafeBytes { update($0) } }

  /// Appends bytes to the input, as the function for `Data` does.
  ///
  /// - Parameter bytes: the bytes, which are valid during the call.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    length &+= UInt64(bytes.count)
    absorb(bytes)
  }

  /// The digest of the input so far, 16 bytes, in the order of RFC 1321, section 3.5. More input may follow.
  ///
  /// The padding (sections 3.1 and 3.2) is applied to a copy: a one bit, zero bits up to 8 bytes before the
  /// end of a block, and the length in bits as a little-endian number.
  ///
  /// - Complexity: O(1): at most two blocks are processed.
  package var digest: Data {
    var copy = self
    let bits = length &* 8
    var padding: [UInt8] = [0x80]
    padding += [UInt8](repeating: 0, count: (119 - Int(length % 64)) % 64)
    padding += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    padding.withUnsafeBytes { copy.absorb($0) }
    return Data(
      copy.state.words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) } }
    )
  }

  /// Processes all complete blocks of the pending input followed by the given bytes, and keeps the rest, at
  /// most 63 bytes.
  private mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
    var start = 0
    if !pending.isEmpty {
      start = min(64 - pending.count, bytes.count)
      pending += bytes[..<start]
      guard pending.count == 64 else { return }
      let block = pending
      block.withUnsafeBytes { state.transform($0, from: 0, to: 64) }
      pending = []
    }
    let end = bytes.count - (bytes.count - start) % 64
    state.transform(bytes, from: start, to: end)
    if end < bytes.count { pending += bytes[end...] }
  }
}
