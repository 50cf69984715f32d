import Foundation
import TenonTestSupport
import Testing

@testable import TenonWebChannel

@Suite(.limited) struct ChannelQueryTests {
  static let all = ChannelQuery(
    database: "projects/p/databases/(default)", requestID: .backChannel, sessionID: "a+b/c==&é",
    acknowledged: 7,
    isLongPolling: true, type: "xmlhttp", timeout: .milliseconds(25_500), clientVersion: 22,
    stickyParameter: "gsessionid", stickySession: "x y", headers: "A:b\r\n")

  @Test func theQueryOfABackChannelIsThatOfGooglesClients() {
    let query = ChannelQuery(
      database: "projects/p/databases/(default)", requestID: .backChannel, sessionID: "S==", acknowledged: 5,
      isLongPolling: false, type: "xmlhttp")
    #expect(
      query.encoded
        == "VER=8&database=projects%2Fp%2Fdatabases%2F%28default%29&SID=S%3D%3D&RID=rpc&CI=0&AID=5&TYPE=xmlhttp"
    )
  }

  @Test func theQueryOfAHandshakeAsksForTheStickySession() {
    let query = ChannelQuery(
      database: "d", requestID: .number(4_711), clientVersion: 22, stickyParameter: "gsessionid")
    #expect(query.encoded == "VER=8&database=d&RID=4711&CVER=22&X-HTTP-Session-Id=gsessionid")
  }

  @Test func everyParameterComesBack() throws {
    #expect(try ChannelQuery(parsing: Self.all.encoded) == Self.all)
  }

  @Test func otherParametersAndEmptyPartsAreIgnored() throws {
    let query = try ChannelQuery(parsing: "&VER=8&&zx=8f3&t=1&t=2&RID=5&flag&=x&")
    #expect(query == ChannelQuery(requestID: .number(5)))
  }

  @Test(arguments: [
    "", "VER=7", "VER=8&VER=8", "VER=08&RID=x", "VER=8&RID=-1", "VER=8&AID=-2", "VER=8&AID=", "VER=8&AID=1e3",
    "VER=8&AID=99999999999999999999", "VER=8&AID=1125899906842625", "VER=8&TO=-5", "VER=8&SID=%4",
    "VER=8&SID=%zz",
    "VER=8&SID=a&SID=b", "VER=8&database=%", "VER=8&RID=+5",
  ])
  func aWrongParameterIsAnError(text: String) {
    #expect { try ChannelQuery(parsing: text) } throws: { ($0 as? ChannelError)?.code == .badRequest }
  }

  @Test func invalidUTF8AndLongQueriesAreErrors() {
    #expect { try ChannelQuery(parsing: "VER=8&SID=%FF") } throws: {
      ($0 as? ChannelError)?.code == .badUnicode
    }
    let long = "VER=8&zx=" + String(repeating: "x", count: 16 << 10)
    #expect { try ChannelQuery(parsing: long) } throws: { ($0 as? ChannelError)?.code == .tooLarge }
  }

  @Test func theFirstAcknowledgementMayBeMinusOne() throws {
    #expect(try ChannelQuery(parsing: "VER=8&AID=-1").acknowledged == -1)
  }

  @Test(arguments: [
    ("RID=5", true, ChannelQuery.Kind.handshake), ("RID=5&SID=s", true, .forward),
    ("RID=rpc&SID=s", false, .backChannel),
    ("RID=5&SID=s&TYPE=terminate", true, .termination), ("RID=5&SID=s&TYPE=terminate", false, .termination),
    ("SID=s&TYPE=terminate", true, .termination),
  ])
  func theParametersTellWhatARequestDoes(text: String, isPost: Bool, kind: ChannelQuery.Kind) throws {
    #expect(try ChannelQuery(parsing: "VER=8&" + text).kind(isPost: isPost) == kind)
  }

  @Test(arguments: [
    ("RID=5", false), ("RID=5&SID=s", false), ("RID=rpc&SID=s", true), ("RID=rpc", false), ("SID=s", true),
    ("", true),
    ("RID=5&TYPE=terminate", false),
  ])
  func otherCombinationsAreErrors(text: String, isPost: Bool) throws {
    let query = try ChannelQuery(parsing: "VER=8&" + text)
    #expect { try query.kind(isPost: isPost) } throws: { ($0 as? ChannelError)?.code == .badRequest }
  }
}
