import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@Suite(.limited) struct ErrorTextTests {
  @Test func transportErrorIsItsMessageAndCode() {
    let error = TransportError(
      .timedOut, "example.com didn't answer in time.", underlying: CocoaError(.fileReadUnknown))
    #expect("\(error)" == "example.com didn't answer in time. (timed-out)")
    #expect(error.localizedDescription == "\(error)")
    #expect((error as any Error).localizedDescription == "\(error)")
  }

  @Test func syntaxErrorHasOneText() throws {
    let error = try #require(#expect(throws: JSONError.self) { try JSON(parsing: Data("[1,".utf8)) })
    #expect(error.localizedDescription == error.description)
    #expect(error.description == "At byte 3 of 3: there is no value.")
  }
}
