import Foundation
import TenonJSON
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The page of requests for documents with the responses of Google's emulator, sent to the embedded backend.
/// `ServedRequestTests` records the page.
@Suite(.limited) struct RecordedRequestTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Requests")

  private static func page(_ name: String) throws -> RequestPage {
    try RequestPage(
      parsing: String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8))
  }

  /// The texts of errors are the backend's own, and say what to do.
  @Test func responsesAreThoseOfGooglesEmulatorExceptForWhatThePageOfDifferencesExplains() async throws {
    let expected = try Self.page("documents")
    let backend = Backend()
    backend.embedded.settings.servesOtherProjects = true
    let origin = try #require(URL(string: "http://127.0.0.1:8080"))
    let replay = RequestReplay(origin: origin) { try await backend.embedded.send($0) }
    let actual = try await replay.record(expected)
    var explained = try Self.page("differences").exchanges
    var unexplained = RequestPage(exchanges: [])
    for (google, own) in zip(expected.exchanges, actual.exchanges) {
      guard google.code != own.code || google.outcome != own.outcome else { continue }
      let place = explained.firstIndex {
        $0.request == own.request && $0.code == own.code && $0.outcome == own.outcome
      }
      if let place {
        explained.remove(at: place)
      } else {
        unexplained.exchanges.append(own)
      }
    }
    if let path = ProcessInfo.processInfo.environment["TENON_RECORD"] {
      try Data(unexplained.text.utf8).write(to: URL(filePath: path))
    }
    #expect(unexplained.exchanges.isEmpty, "\(unexplained.text)")
    let rest = RequestPage(exchanges: explained)
    #expect(rest.exchanges.isEmpty, "There is no such difference any longer: \(rest.text)")
  }
}
