import TenonTestSupport
import Testing

@testable import TenonSignatures

/// What the system's libcrypto derives from passwords, with the examples of RFC 1321, 2202, 4231, 6070, 7914 and
/// FIPS 180-4.
@Suite(.limited) struct KeyDerivationTests {
  private static func hex(_ bytes: [UInt8]?) -> String? {
    bytes?.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(
    arguments: [
      (.md5, "900150983cd24fb0d6963f7d28e17f72"), (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
      ),
    ] as [(KeyDerivation.Digest, String)])
  func digestsAreThoseOfTheStandards(digest: KeyDerivation.Digest, expected: String) {
    #expect(Self.hex(KeyDerivation.digest(digest, of: Self.bytes("abc"))) == expected)
  }

  @Test func keyedDigestsAreThoseOfTheStandards() {
    let text = Self.bytes("what do ya want for nothing?")
    let key = Self.bytes("Jefe")
    #expect(
      Self.hex(KeyDerivation.hmac(.md5, key: key, of: text)) == "750c783e6ab0b503eaa86e310a5db738")
    #expect(
      Self.hex(KeyDerivation.hmac(.sha1, key: key, of: text)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    #expect(
      Self.hex(KeyDerivation.hmac(.sha256, key: key, of: text))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(KeyDerivation.hmac(.sha512, key: key, of: text)?.count == 64)
  }

  @Test func derivedKeysAreThoseOfTheStandards() {
    let (password, salt) = (Self.bytes("password"), Self.bytes("salt"))
    #expect(
      Self.hex(KeyDerivation.pbkdf2(.sha1, password: password, salt: salt, rounds: 4_096, size: 20))
        == "4b007901b765489abead49d926f721d065a429c1")
    #expect(
      Self.hex(
        KeyDerivation.pbkdf2(.sha256, password: Self.bytes("passwd"), salt: salt, rounds: 1, size: 64))
        == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
    let scrypt = KeyDerivation.Scrypt(cost: 1_024, blockSize: 8, parallelization: 16)
    #expect(
      Self.hex(KeyDerivation.scrypt(scrypt, password: password, salt: Self.bytes("NaCl"), size: 64))
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622"
        + "eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
  }

  @Test func parametersThatAreNoneFail() {
    let (password, salt) = (Self.bytes("password"), Self.bytes("salt"))
    for (cost, blockSize, parallelization) in [(3, 8, 1), (0, 8, 1), (2, 0, 1), (2, 8, 0), (1 << 30, 8, 1)] {
      let scrypt = KeyDerivation.Scrypt(
        cost: UInt64(cost), blockSize: UInt64(blockSize), parallelization: UInt64(parallelization))
      #expect(KeyDerivation.scrypt(scrypt, password: password, salt: salt, size: 64) == nil)
    }
    #expect(KeyDerivation.pbkdf2(.sha1, password: password, salt: salt, rounds: 1, size: 0) == nil)
    #expect(KeyDerivation.aesCTR([1], key: [1]) == nil)
  }

  @Test func counterModeBeginsWithZero() {
    let zeros = [UInt8](repeating: 0, count: 32)
    // The block cipher's result for a block of zeros and a key of zeros, which OpenSSL's command line prints, too.
    #expect(
      Self.hex(KeyDerivation.aesCTR(Array(zeros.prefix(16)), key: zeros))
        == "dc95c078a2408989ad48a21492842087")
  }
}
