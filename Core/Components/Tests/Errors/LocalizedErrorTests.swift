import Foundation
import TenonFoundation
import TenonTestSupport
import Testing

@testable import TenonCore

@Suite(.limited) struct LocalizedErrorTests {
  private static let errors: [any Error & CustomStringConvertible & Sendable] = [
    ComponentError.notProvided(ComponentKey(Int.self), path: [ComponentKey(String.self)], known: []),
    ConfigurationError([
      .init(.badName, "One thing is wrong.", repairs: ["Mend it."]), .init(.cycle, "Another is as well."),
    ]),
    ComponentUnavailable("There is no camera."),
  ]

  @Test(arguments: errors.indices)
  func theLocalizedDescriptionIsTheDescription(index: Int) {
    let error = Self.errors[index]
    #expect(error.localizedDescription == error.description)
    #expect("\(error)" == error.description)
  }

  @Test func aReasonWithoutASystemCodeIsPlainText() {
    struct Custom: Error {}
    #expect(!Custom().systemReason.isEmpty)
    #expect(POSIXError(.EACCES).systemReason == String(cString: strerror(EACCES)))
    let error = CocoaError(.fileWriteNoPermission, userInfo: [NSUnderlyingErrorKey: POSIXError(.EACCES)])
    #expect(error.systemReason == String(cString: strerror(EACCES)))
  }
}
