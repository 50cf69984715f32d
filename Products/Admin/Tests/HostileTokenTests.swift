import Foundation
import TenonFoundation
import TenonJSON
import TenonTestSupport
import Testing

@testable import TenonAdmin

/// Tokens that no issuer makes. P3: each is refused with a typed error, in linear time.
@Suite(.limited) struct HostileTokenTests {
  private static var payload: Data { get throws { try JSON.object(AdminFixture.claims).serialized } }
  private static let header = Data(#"{"alg":"RS256","kid":"a","typ":"JWT"}"#.utf8)

  private static func encoded(_ text: String) -> String { Base64URL.encode(Data(text.utf8)) }

  /// Headers that are signed with the right key, and still wrong.
  private static let headers = [
    #"{"alg":"none","kid":"a"}"#, #"{"alg":"None","kid":"a"}"#, #"{"alg":"NONE","kid":"a"}"#,
    #"{"alg":"HS256","kid":"a"}"#, #"{"alg":"HS512","kid":"a"}"#, #"{"alg":"RS512","kid":"a"}"#,
    #"{"alg":"PS256","kid":"a"}"#, #"{"alg":"ES256","kid":"a"}"#, #"{"alg":"rs256","kid":"a"}"#,
    #"{"alg":"RS256 ","kid":"a"}"#, #"{"alg":"","kid":"a"}"#, #"{"alg":null,"kid":"a"}"#,
    #"{"alg":["RS256"],"kid":"a"}"#, #"{"alg":256,"kid":"a"}"#, #"{"kid":"a"}"#,
    #"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":""}"#, #"{"alg":"RS256","kid":7}"#,
    #"{"alg":"RS256","kid":"b"}"#, #"{"alg":"RS256","kid":"../a"}"#, #"{"alg":"RS256","kid":"a\u0000"}"#,
    #"{"alg":"RS256","kid":"a","crit":["exp"]}"#, #"{"alg":"RS256","kid":"a","crit":[]}"#,
    #"{"alg":"RS256","kid":"a","b64":false,"crit":["b64"]}"#, #"{"alg":"RS256","kid":"a","typ":"at+jwt"}"#,
    #"{"alg":"RS256","alg":"none","kid":"a"}"#, #"{"alg":"none","alg":"RS256","kid":"a"}"#,
    #"{"kid":"b","alg":"RS256","kid":"a"}"#, #"["RS256"]"#, #""RS256""#, "7", "null", "", "{", "{}",
    #"{"alg":"RS256","kid":"a"} x"#, #"{"alg":"RS256","kid":"a",}"#, "{'alg':'RS256','kid':'a'}",
  ]

  /// Payloads that are signed with the right key, and still wrong.
  private static let payloads = [
    "", "{", "[]", "null", "7", #""ada""#, "{}", #"{"sub":"ada"}"#, "\u{FEFF}",
    #"{"sub":"ada","sub":"eve","iss":"https://securetoken.google.com/demo","aud":"demo","iat":1,"exp":9e9,"auth_time":1}"#,
    #"{"sub":"ada","iss":"https://securetoken.google.com/demo","aud":"demo","iat":1,"exp":1e999,"auth_time":1}"#,
    #"{"sub":"ada","iss":"https://securetoken.google.com/demo","aud":"demo","iat":1,"exp":NaN,"auth_time":1}"#,
    #"{"sub":"\ud800","iss":"https://securetoken.google.com/demo","aud":"demo","iat":1,"exp":9e9,"auth_time":1}"#,
    String(repeating: "[", count: 10_000), String(repeating: #"{"a":"#, count: 5_000),
  ]

  /// Texts whose form is wrong.
  private static func texts() throws -> [String] {
    let token = try AdminFixture.token()
    let parts = token.split(separator: ".").map(String.init)
    return [
      "", ".", "..", "...", "a", "a.b", "a.b.c", "a.b.c.d", "Bearer \(token)", " \(token)", "\(token) ",
      "\(token)\n",
      "\(token).", ".\(token)", "\(token)=", "\(token)==", "\(parts[0]).\(parts[1])",
      "\(parts[0]).\(parts[1]).",
      "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])", "\(parts[1]).\(parts[0]).\(parts[2])",
      "\(parts[0])=.\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])\n.\(parts[2])",
      "\(parts[0]).\(parts[1]).\(parts[2].dropLast())", "\(parts[0]).\(parts[1]).\(parts[2])A",
      "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 342))", "\(parts[0]).\(parts[1]).AAAA",
      // Bits that lenient decoders ignore.
      "\(parts[0]).\(parts[1]).\(parts[2].dropLast())B", "\(token.replacing("-", with: "+"))++",
      String(repeating: "A", count: 40_000), String(repeating: ".", count: 40_000), "é.é.é",
      "\u{0}.\u{0}.\u{0}",
      token + String(repeating: "A", count: 40_000), "{}", #"{"sub":"ada"}"#,
      "\(parts[0]).\(parts[1]).\(parts[2]).\(parts[2])",
    ]
  }

  @Test func aCorpusOfHostileTokensIsRefused() async throws {
    let fixture = try AdminFixture()
    var tokens = try Self.texts()
    for header in Self.headers { tokens.append(try AdminFixture.signed(Data(header.utf8), Self.payload)) }
    for payload in Self.payloads { tokens.append(try AdminFixture.signed(Self.header, Data(payload.utf8))) }
    tokens.append(try AdminFixture.signed(Self.header, Self.payload, key: SampleKeys.otherPrivateKey))
    // The public key as the secret of HS256.
    tokens.append("\(Self.encoded(#"{"alg":"HS256","kid":"a"}"#)).\(Base64URL.encode(try Self.payload)).AAAA")
    #expect(tokens.count >= 60)
    for token in tokens {
      let error = await #expect(throws: AdminError.self, "\(token.prefix(80))") {
        try await fixture.admin.verifyIDToken(token)
      }
      #expect(
        error.map { [.invalidIDToken, .idTokenExpired].contains($0.code) } == true, "\(token.prefix(80))")
    }
    #expect(try await fixture.admin.verifyIDToken(try AdminFixture.token()).uid == "ada")
  }

  @Test func theOnlyEncodingOfBytesIsAccepted() {
    for bytes in [[], [0], [255], [1, 2], [1, 2, 3], [250, 251, 252, 253]] as [[UInt8]] {
      let text = Base64URL.encode(Data(bytes))
      #expect(Base64URLBytes.decode(text.utf8) == bytes)
    }
    for text in ["A", "AAAAA", "AB", "AAB", "AA==", "A+", "A/", "A A", "A\n", "é", "AA.A"] {
      #expect(Base64URLBytes.decode(text.utf8) == nil, "\(text)")
    }
  }
}
