import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct ChannelFormTests {
  static func form(_ text: String, limits: ChannelForm.Limits = .init()) throws(ChannelError) -> ChannelForm {
    try ChannelForm(parsing: Data(text.utf8), limits: limits)
  }

  @Test func aFormIsThatOfGooglesClients() {
    let form = ChannelForm(
      headers: [.init("Authorization", "Bearer x"), .init("Content-Type", "text/plain")], first: 3,
      messages: [Data(#"{"a":"é"}"#.utf8), Data("[]".utf8)])
    #expect(
      String(decoding: form.encoded, as: UTF8.self)
        == "headers=Authorization%3ABearer%20x%0D%0AContent-Type%3Atext%2Fplain%0D%0A"
        + "&count=2&ofs=3&req0___data__=%7B%22a%22%3A%22%C3%A9%22%7D&req1___data__=%5B%5D")
  }

  @Test func everythingComesBack() throws {
    let messages = (0..<300).map { Data("{\"é 😀 +&=%\": \($0)}".utf8) }
    let form = ChannelForm(
      headers: [.init("A", "b: c"), .init("X-é".filter(\.isASCII), "")], first: 1 << 50, messages: messages)
    #expect(try ChannelForm(parsing: form.encoded) == form)
    #expect(try ChannelForm(parsing: ChannelForm(messages: []).encoded) == ChannelForm(messages: []))
  }

  @Test func thePartsMayHaveAnyOrderAndOthersAreIgnored() throws {
    let form = try Self.form(
      "req1___data__=b&x=y&req0___data__=a+c&req0_other=1&ofs=5&count=2&req___data__=z&reqx___data__=z")
    #expect(form == ChannelForm(first: 5, messages: [Data("a c".utf8), Data("b".utf8)]))
    #expect(try Self.form("") == ChannelForm(messages: []))
  }

  @Test(arguments: [
    ("count=1", ChannelError.Code.badRequest), ("count=1&req1___data__=a", .badRequest),
    ("count=0&req0___data__=a", .badRequest),
    ("req0___data__=a", .badRequest), ("count=2&req0___data__=a&req0___data__=b", .badRequest),
    ("count=1&count=1&req0___data__=a", .badRequest),
    ("count=-1", .badRequest), ("count=x", .badRequest), ("ofs=-1", .badRequest),
    ("ofs=1125899906842625", .badRequest),
    ("count=1001", .badRequest), ("req1000___data__=a", .tooLarge),
    ("count=1&req0___data__=%FF", .badUnicode),
    ("count=1&req0___data__=%F", .badRequest), ("headers=A", .badRequest), ("headers=A%20B:c", .badRequest),
    ("headers=:c", .badRequest),
    ("headers=A:b%00", .badRequest), ("headers=A:b&headers=A:b", .badRequest),
    ("count=3&req0___data__=a&req1___data__=a&req3___data__=a", .badRequest),
  ])
  func aWrongFormIsAnError(text: String, code: ChannelError.Code) {
    #expect { try Self.form(text) } throws: { ($0 as? ChannelError)?.code == code }
  }

  @Test func theLimitsApply() throws {
    let text = "count=2&req0___data__=a&req1___data__=b"
    #expect(try Self.form(text, limits: .init(bytes: text.utf8.count, messages: 2)).messages.count == 2)
    for limits in [ChannelForm.Limits(bytes: text.utf8.count - 1), .init(messages: 1)] {
      #expect { try Self.form(text, limits: limits) } throws: {
        [.tooLarge, .badRequest].contains(($0 as? ChannelError)?.code)
      }
    }
    #expect(throws: ChannelError.self) { try Self.form("headers=A:b%0D%0AC:d", limits: .init(headers: 1)) }
  }

  @Test func headersOfAQueryAreReadAlike() throws {
    #expect(try ChannelForm.headers(of: "A:b\r\nC: d:e \n\n") == [.init("A", "b"), .init("C", "d:e ")])
  }
}
