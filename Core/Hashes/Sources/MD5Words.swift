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

/// The state of an MD5 digest between blocks of 64 bytes.
///
/// The operations are written out: loops over them are a third as fast.
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
    Self.constants.withUnsafeBufferPointer { constants in
      var at = start
      while at < end {
        words.transform(bytes, at: at, constants)
        at += 64
      }
    }
    self = words
  }

  /// Applies the 64 operations of RFC 1321, section 3.4, to a block of 64 bytes.
  ///
  /// A block is sixteen little-endian words. Each of the four rounds uses every word once, in its own order,
  /// and another function of B, C and D. All additions wrap around.
  ///
  /// - Parameters:
  ///   - bytes: the input.
  ///   - start: the index of the block's first byte.
  ///   - k: ``constants``.
  @inline(__always)
  private mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at start: Int, _ k: UnsafeBufferPointer<UInt32>
  ) {
    /// Returns a word of the block.
    func word(_ index: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start &+ 4 &* index, as: UInt32.self))
    }
    var (a, b, c, d) = (self.a, self.b, self.c, self.d)
    a = step(a, b, f(b, c, d), word(0), k[0], 7)
    d = step(d, a, f(a, b, c), word(1), k[1], 12)
    c = step(c, d, f(d, a, b), word(2), k[2], 17)
    b = step(b, c, f(c, d, a), word(3), k[3], 22)
    a = step(a, b, f(b, c, d), word(4), k[4], 7)
    d = step(d, a, f(a, b, c), word(5), k[5], 12)
    c = step(c, d, f(d, a, b), word(6), k[6], 17)
    b = step(b, c, f(c, d, a), word(7), k[7], 22)
    a = step(a, b, f(b, c, d), word(8), k[8], 7)
    d = step(d, a, f(a, b, c), word(9), k[9], 12)
    c = step(c, d, f(d, a, b), word(10), k[10], 17)
    b = step(b, c, f(c, d, a), word(11), k[11], 22)
    a = step(a, b, f(b, c, d), word(12), k[12], 7)
    d = step(d, a, f(a, b, c), word(13), k[13], 12)
    c = step(c, d, f(d, a, b), word(14), k[14], 17)
    b = step(b, c, f(c, d, a), word(15), k[15], 22)

    a = step(a, b, g(b, c, d), word(1), k[16], 5)
    d = step(d, a, g(a, b, c), word(6), k[17], 9)
    c = step(c, d, g(d, a, b), word(11), k[18], 14)
    b = step(b, c, g(c, d, a), word(0), k[19], 20)
    a = step(a, b, g(b, c, d), word(5), k[20], 5)
    d = step(d, a, g(a, b, c), word(10), k[21], 9)
    c = step(c, d, g(d, a, b), word(15), k[22], 14)
    b = step(b, c, g(c, d, a), word(4), k[23], 20)
    a = step(a, b, g(b, c, d), word(9), k[24], 5)
    d = step(d, a, g(a, b, c), word(14), k[25], 9)
    c = step(c, d, g(d, a, b), word(3), k[26], 14)
    b = step(b, c, g(c, d, a), word(8), k[27], 20)
    a = step(a, b, g(b, c, d), word(13), k[28], 5)
    d = step(d, a, g(a, b, c), word(2), k[29], 9)
    c = step(c, d, g(d, a, b), word(7), k[30], 14)
    b = step(b, c, g(c, d, a), word(12), k[31], 20)

    a = step(a, b, h(b, c, d), word(5), k[32], 4)
    d = step(d, a, h(a, b, c), word(8), k[33], 11)
    c = step(c, d, h(d, a, b), word(11), k[34], 16)
    b = step(b, c, h(c, d, a), word(14), k[35], 23)
    a = step(a, b, h(b, c, d), word(1), k[36], 4)
    d = step(d, a, h(a, b, c), word(4), k[37], 11)
    c = step(c, d, h(d, a, b), word(7), k[38], 16)
    b = step(b, c, h(c, d, a), word(10), k[39], 23)
    a = step(a, b, h(b, c, d), word(13), k[40], 4)
    d = step(d, a, h(a, b, c), word(0), k[41], 11)
    c = step(c, d, h(d, a, b), word(3), k[42], 16)
    b = step(b, c, h(c, d, a), word(6), k[43], 23)
    a = step(a, b, h(b, c, d), word(9), k[44], 4)
    d = step(d, a, h(a, b, c), word(12), k[45], 11)
    c = step(c, d, h(d, a, b), word(15), k[46], 16)
    b = step(b, c, h(c, d, a), word(2), k[47], 23)

    a = step(a, b, i(b, c, d), word(0), k[48], 6)
    d = step(d, a, i(a, b, c), word(7), k[49], 10)
    c = step(c, d, i(d, a, b), word(14), k[50], 15)
    b = step(b, c, i(c, d, a), word(5), k[51], 21)
    a = step(a, b, i(b, c, d), word(12), k[52], 6)
    d = step(d, a, i(a, b, c), word(3), k[53], 10)
    c = step(c, d, i(d, a, b), word(10), k[54], 15)
    b = step(b, c, i(c, d, a), word(1), k[55], 21)
    a = step(a, b, i(b, c, d), word(8), k[56], 6)
    d = step(d, a, i(a, b, c), word(15), k[57], 10)
    c = step(c, d, i(d, a, b), word(6), k[58], 15)
    b = step(b, c, i(c, d, a), word(13), k[59], 21)
    a = step(a, b, i(b, c, d), word(4), k[60], 6)
    d = step(d, a, i(a, b, c), word(11), k[61], 10)
    c = step(c, d, i(d, a, b), word(2), k[62], 15)
    b = step(b, c, i(c, d, a), word(9), k[63], 21)

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

  /// The table T of RFC 1321: the integer parts of 4294967296 times abs(sin(i)), i in radians, for i from 1
  /// to 64.
  ///
  /// It is computed when it is first used. The optimizer adds constants that it knows last, where every
  /// operation waits for the addition; the digest takes a quarter more time then.
  private static let constants: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
