import TenonFoundation
import TenonTestSupport
import Testing

/// Both alphabets of base64 (RFC 4648, sections 4 and 5).
@Suite(.limited) struct Base64URLTests {
  @Test(arguments: [
    ("", ""), ("Zg==", "Zg"), ("Zm8=", "Zm8"), ("+/+/", "-_-_"), ("-_-_", "-_-_"), ("-_-_=", "-_-_"),
  ])
  func bothAlphabetsAreConvertedToTheOneOfURLs(text: String, expected: String) {
    #expect(Base64URL.converted(text) == expected)
  }

  @Test func aConvertedTextIsDecodedToTheSameBytes() {
    let bytes = Data((0...255).map { UInt8($0) })
    #expect(Base64URL.decode(Base64URL.converted(bytes.base64EncodedString())) == bytes)
    #expect(Base64URL.decode(Base64URL.converted(Base64URL.encode(bytes))) == bytes)
  }
}
