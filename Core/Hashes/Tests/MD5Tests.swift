import Foundation
import TenonTestSupport
import Testing

@testable import TenonHashes

@Suite(.limited) struct MD5Tests {
  /// The test suite of MD5 (RFC 1321, appendix A.5).
  @Test(arguments: [
    ("", "d41d8cd98f00b204e9800998ecf8427e"),
    ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func md5GivesTheDigestsOfTheRFC(text: String, digest: String) {
    var md5 = MD5()
    md5.update(Data(text.utf8))
    #expect(md5.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
  }

  @Test(
    arguments: [
      #"{"state":[1,2,3],"pending":[],"length":0}"#, #"{"state":[1,2,3,4,5],"pending":[],"length":0}"#,
      #"{"state":[1,2,3,4],"pending":[1],"length":0}"#, #"{"state":[1,2,3,4],"pending":[],"length":-1}"#,
      #"{"state":[1,2,3,4294967296],"pending":[],"length":0}"#,
      #"{"state":[1,2,3,4],"pending":[256],"length":1}"#,
    ])
  func impossibleStateOfADigestIsRefused(json: String) {
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(MD5.self, from: Data(json.utf8)) }
  }
}
