import TenonFunctions
import TenonTestSupport
import Testing

/// An app that imports only the product can set its timeouts and name their type.
@Suite(.limited) struct TimeoutNameTests {
  @Test func timeoutsRequireNoOtherImport() {
    func shorten(_ functions: Functions) {
      functions.timeouts.connecting = .seconds(5)
      functions.timeouts = HTTPTimeouts(firstByte: .seconds(5))
    }
    #expect(HTTPTimeouts(inactivity: .seconds(1)).inactivity == .seconds(1))
  }
}
