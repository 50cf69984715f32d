/// The state of an MD5 digest between blocks of 64 bytes.
///
/// The operations are written out: loops over them, with tables of constants, are a third as fast.
struct MD5Words: Sendable, Hashable {
  var a: UInt32
  var b: UInt32
  var c: UInt32
  var d: UInt32

  /// The words A, B, C and D.
  var words: [UInt32] { [a, b, c, d] }

  /// Processes blocks of 64 bytes.
  ///
  /// - Parameters:
  ///   - bytes: the input.
  ///   - start: the index of the first block.
  ///   - end: the index behind the last block, at most the number of bytes and a multiple of 64 from `start`.
  mutating func transform(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
    var words = self
    var at = start
    while at < end {
      words.transform(bytes, at: at)
      at += 64
    }
    self = words
  }

  /// Applies the 64 operations of RFC 1321, section 3.4, to a block of 64 bytes.
  ///
  /// A block is sixteen little-endian words. Each of the four rounds uses every word once, in an order of its own, and
  /// another function of B, C and D. The constants are the integer parts of 4294967296 times abs(sin(i)), i in radians, for
  /// i from 1 to 64. All additions wrap around.
  ///
  /// - Parameters:
  ///   - bytes: the input.
  ///   - start: the index of the block's first byte.
  @inline(__always)
  private mutating func transform(_ bytes: UnsafeRawBufferPointer, at start: Int) {
    /// Returns a word of the block.
    func word(_ index: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start &+ 4 &* index, as: UInt32.self))
    }
    var (a, b, c, d) = (self.a, self.b, self.c, self.d)
    a = step(a, b, f(b, c, d), word(0), 0xD76A_A478, 7)
    d = step(d, a, f(a, b, c), word(1), 0xE8C7_B756, 12)
    c = step(c, d, f(d, a, b), word(2), 0x2420_70DB, 17)
    b = step(b, c, f(c, d, a), word(3), 0xC1BD_CEEE, 22)
    a = step(a, b, f(b, c, d), word(4), 0xF57C_0FAF, 7)
    d = step(d, a, f(a, b, c), word(5), 0x4787_C62A, 12)
    c = step(c, d, f(d, a, b), word(6), 0xA830_4613, 17)
    b = step(b, c, f(c, d, a), word(7), 0xFD46_9501, 22)
    a = step(a, b, f(b, c, d), word(8), 0x6980_98D8, 7)
    d = step(d, a, f(a, b, c), word(9), 0x8B44_F7AF, 12)
    c = step(c, d, f(d, a, b), word(10), 0xFFFF_5BB1, 17)
    b = step(b, c, f(c, d, a), word(11), 0x895C_D7BE, 22)
    a = step(a, b, f(b, c, d), word(12), 0x6B90_1122, 7)
    d = step(d, a, f(a, b, c), word(13), 0xFD98_7193, 12)
    c = step(c, d, f(d, a, b), word(14), 0xA679_438E, 17)
    b = step(b, c, f(c, d, a), word(15), 0x49B4_0821, 22)

    a = step(a, b, g(b, c, d), word(1), 0xF61E_2562, 5)
    d = step(d, a, g(a, b, c), word(6), 0xC040_B340, 9)
    c = step(c, d, g(d, a, b), word(11), 0x265E_5A51, 14)
    b = step(b, c, g(c, d, a), word(0), 0xE9B6_C7AA, 20)
    a = step(a, b, g(b, c, d), word(5), 0xD62F_105D, 5)
    d = step(d, a, g(a, b, c), word(10), 0x0244_1453, 9)
    c = step(c, d, g(d, a, b), word(15), 0xD8A1_E681, 14)
    b = step(b, c, g(c, d, a), word(4), 0xE7D3_FBC8, 20)
    a = step(a, b, g(b, c, d), word(9), 0x21E1_CDE6, 5)
    d = step(d, a, g(a, b, c), word(14), 0xC337_07D6, 9)
    c = step(c, d, g(d, a, b), word(3), 0xF4D5_0D87, 14)
    b = step(b, c, g(c, d, a), word(8), 0x455A_14ED, 20)
    a = step(a, b, g(b, c, d), word(13), 0xA9E3_E905, 5)
    d = step(d, a, g(a, b, c), word(2), 0xFCEF_A3F8, 9)
    c = step(c, d, g(d, a, b), word(7), 0x676F_02D9, 14)
    b = step(b, c, g(c, d, a), word(12), 0x8D2A_4C8A, 20)

    a = step(a, b, h(b, c, d), word(5), 0xFFFA_3942, 4)
    d = step(d, a, h(a, b, c), word(8), 0x8771_F681, 11)
    c = step(c, d, h(d, a, b), word(11), 0x6D9D_6122, 16)
    b = step(b, c, h(c, d, a), word(14), 0xFDE5_380C, 23)
    a = step(a, b, h(b, c, d), word(1), 0xA4BE_EA44, 4)
    d = step(d, a, h(a, b, c), word(4), 0x4BDE_CFA9, 11)
    c = step(c, d, h(d, a, b), word(7), 0xF6BB_4B60, 16)
    b = step(b, c, h(c, d, a), word(10), 0xBEBF_BC70, 23)
    a = step(a, b, h(b, c, d), word(13), 0x289B_7EC6, 4)
    d = step(d, a, h(a, b, c), word(0), 0xEAA1_27FA, 11)
    c = step(c, d, h(d, a, b), word(3), 0xD4EF_3085, 16)
    b = step(b, c, h(c, d, a), word(6), 0x0488_1D05, 23)
    a = step(a, b, h(b, c, d), word(9), 0xD9D4_D039, 4)
    d = step(d, a, h(a, b, c), word(12), 0xE6DB_99E5, 11)
    c = step(c, d, h(d, a, b), word(15), 0x1FA2_7CF8, 16)
    b = step(b, c, h(c, d, a), word(2), 0xC4AC_5665, 23)

    a = step(a, b, i(b, c, d), word(0), 0xF429_2244, 6)
    d = step(d, a, i(a, b, c), word(7), 0x432A_FF97, 10)
    c = step(c, d, i(d, a, b), word(14), 0xAB94_23A7, 15)
    b = step(b, c, i(c, d, a), word(5), 0xFC93_A039, 21)
    a = step(a, b, i(b, c, d), word(12), 0x655B_59C3, 6)
    d = step(d, a, i(a, b, c), word(3), 0x8F0C_CC92, 10)
    c = step(c, d, i(d, a, b), word(10), 0xFFEF_F47D, 15)
    b = step(b, c, i(c, d, a), word(1), 0x8584_5DD1, 21)
    a = step(a, b, i(b, c, d), word(8), 0x6FA8_7E4F, 6)
    d = step(d, a, i(a, b, c), word(15), 0xFE2C_E6E0, 10)
    c = step(c, d, i(d, a, b), word(6), 0xA301_4314, 15)
    b = step(b, c, i(c, d, a), word(13), 0x4E08_11A1, 21)
    a = step(a, b, i(b, c, d), word(4), 0xF753_7E82, 6)
    d = step(d, a, i(a, b, c), word(11), 0xBD3A_F235, 10)
    c = step(c, d, i(d, a, b), word(2), 0x2AD7_D2BB, 15)
    b = step(b, c, i(c, d, a), word(9), 0xEB86_D391, 21)

    self.a &+= a
    self.b &+= b
    self.c &+= c
    self.d &+= d
  }

  // The functions F, G, H and I, in forms with few operations. The two parts of G have no bits in common.

  @inline(__always) private func f(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { ((y ^ z) & x) ^ z }
  @inline(__always) private func g(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { (x & z) &+ (y & ~z) }
  @inline(__always) private func h(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { x ^ y ^ z }
  @inline(__always) private func i(_ x: UInt32, _ y: UInt32, _ z: UInt32) -> UInt32 { y ^ (x | ~z) }

  /// Returns the new value of a state word.
  ///
  /// - Parameters:
  ///   - a: the word.
  ///   - b: the following word.
  ///   - mixed: the result of the round's function.
  ///   - word: the word of the block.
  ///   - constant: the constant of the operation.
  ///   - turn: the rotation in bits.
  @inline(__always)
  private func step(
    _ a: UInt32, _ b: UInt32, _ mixed: UInt32, _ word: UInt32, _ constant: UInt32, _ turn: UInt32
  ) -> UInt32 {
    let sum = (a &+ word &+ constant) &+ mixed
    return b &+ (sum &<< turn | sum &>> (32 &- turn))
  }
}
