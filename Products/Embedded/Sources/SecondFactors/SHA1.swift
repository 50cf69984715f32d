/// SHA-1 (RFC 3174) and its HMAC (RFC 2104), from which authenticator apps compute their codes.
///
/// Collisions of SHA-1 can be made, which doesn't affect its HMAC. Nothing else uses it.
enum SHA1 {
  /// The length of a block, in bytes.
  private static let block = 64

  /// Returns the HMAC of a message: 20 bytes.
  ///
  /// - Complexity: O(*n*) in the lengths of the message and the key.
  static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > block ? digest(key) : key
    // Checked: a digest is shorter than a block.
    let key = short + [UInt8](repeating: 0, count: block - short.count)
    let inner = digest(key.map { $0 ^ 0x36 } + message)
    return digest(key.map { $0 ^ 0x5C } + inner)
  }

  /// Returns the digest of a message: 20 bytes.
  ///
  /// - Complexity: O(*n*) in the length of the message.
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    // Checked: a remainder of a positive number.
    padded += [UInt8](repeating: 0, count: (block + 56 - padded.count % block) % block)
    let bits = UInt64(truncatingIfNeeded: message.count) &* 8
    padded += [56, 48, 40, 32, 24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits &>> $0 as UInt64) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: block) {
      // Checked: a constant length.
      add(padded[start..<start + block], to: &state)
    }
    return state.flatMap { word in
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word &>> $0 as UInt32) }
    }
  }

  /// Adds a block to the state.
  private static func add(_ bytes: ArraySlice<UInt8>, to state: inout [UInt32]) {
    var words = [UInt32](repeating: 0, count: 80)
    for (index, byte) in bytes.enumerated() {
      words[index / 4] = words[index / 4] &<< 8 | UInt32(truncatingIfNeeded: byte)
    }
    for index in 16..<80 {
      words[index] = rotate(
        words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], by: 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (mixed, constant): (UInt32, UInt32) =
        switch index / 20 {
        case 0: (b & c | ~b & d, 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, by: 5) &+ mixed &+ e &+ constant &+ word
      (a, b, c, d, e) = (next, a, rotate(b, by: 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
  }

  private static func rotate(_ word: UInt32, by count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 - count)
  }
}
