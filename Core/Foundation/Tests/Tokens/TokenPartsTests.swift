import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

@Suite(.limited) struct TokenPartsTests {
  // The example of RFC 7519, section 3.1, whose parts need different paddings.
  @Test func aTokenIsSplitIntoItsDecodedParts() throws {
    let token =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9"
      + ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
      + ".dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let parts = try #require(TokenParts(token))
    #expect(parts.header == Data("{\"typ\":\"JWT\",\r\n \"alg\":\"HS256\"}".utf8))
    let payload = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
    #expect(parts.payload == Data(payload.utf8))
    #expect(parts.hasSignature)
  }

  @Test(arguments: ["", "a", "a.b", "a.b.c.d"]) func aTextWithoutThreePartsIsNoToken(text: String) {
    #expect(TokenParts(text) == nil)
  }

  @Test func aPartThatIsNotBase64URLIsNil() throws {
    let parts = try #require(TokenParts("e30.e3!0.e30"))
    #expect(parts.header == Data("{}".utf8) && parts.payload == nil)
  }

  @Test(arguments: ["", "{}", "{\"a\":\"\u{FF}?>~\"}"]) func anUnsignedTokenHasItsPayloadAndNoSignature(
    payload: String
  ) throws {
    let parts = try #require(TokenParts(TokenParts.unsigned(Data(payload.utf8))))
    #expect(parts.payload == Data(payload.utf8) && !parts.hasSignature)
    #expect(parts.header == Data(#"{"alg":"none","typ":"JWT"}"#.utf8))
  }
}
