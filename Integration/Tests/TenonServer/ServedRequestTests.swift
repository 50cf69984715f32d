import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The page of requests for documents, on Google's emulator.
@Suite(.limited) struct ServedRequestTests {
  /// With `TENON_RECORD`, the page is written again, after its requests were changed.
  @Test(.firestoreEmulator) func googlesEmulatorStillRespondsAsThePageSays() async throws {
    let file = packageRoot.appending(path: "Products/Embedded/Requests/documents.txt")
    let page = try RequestPage(parsing: String(contentsOf: file, encoding: .utf8))
    let transport = SystemTransport()
    let replay = RequestReplay(origin: try await FirestoreEmulator.shared().origin) {
      try await transport.send($0)
    }
    let recorded = try await replay.record(page)
    if ProcessInfo.processInfo.environment["TENON_RECORD"] != nil {
      try Data(recorded.text.utf8).write(to: file)
    }
    for (old, new) in zip(page.exchanges, recorded.exchanges)
    where old.status != new.status || old.body != new.body {
      Issue.record("\(old.request): \(new.status) \(new.body?.sortedText ?? "")")
    }
  }
}
