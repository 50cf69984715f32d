import Foundation
import TenonCore
import TenonStoreInterop
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// Writing over WebChannel, as Firestore's web clients do.
@Suite(.limited) struct WriteChannelTests {
  private let backend = Backend()
  private var client: WireClient { WireClient(embedded: backend.embedded) }
  private static let begin = #"{"database":"projects/demo/databases/(default)"}"#

  private static func write(_ id: String, _ suffix: String = "") -> String {
    #"{"streamToken":"MA==","writes":[{"update":{"name":"@/rooms/\#(id)"}\#(suffix)}]}"#
  }

  @Test func batchesAreAppliedInOrderUntilAnEmptyOne() async throws {
    let channel = try await WireChannel(
      client, to: "Write",
      [
        Self.begin, Self.write("den"), Self.write("den", #","currentDocument":{"exists":true}"#),
        #"{"writes":[]}"#,
      ])
    let contents = try await channel.read { $0 == "close" }.map(\.content)
    #expect(contents.count == 5)
    #expect(contents[0] == ["streamId": "1", "streamToken": "MA=="])
    #expect(
      contents[1] == [
        "streamToken": "MQ==", "writeResults": [["updateTime": "2023-11-14T22:13:20.000001Z"]],
        "commitTime": "2023-11-14T22:13:20.000001Z",
      ])
    #expect(contents[3]["commitTime"] != nil)
    #expect(try await backend.embedded.documents().get("rooms/den") == [:])
  }

  @Test func nothingIsAppliedAfterAnError() async throws {
    let channel = try await WireChannel(
      client, to: "Write",
      [
        Self.begin, Self.write("den"), Self.write("no", #","currentDocument":{"exists":true}"#),
        Self.write("attic"),
      ])
    let contents = try await channel.read { $0["error"] != nil }.map(\.content)
    #expect(contents.last?["error"]?["status"] == "NOT_FOUND")
    #expect(contents.count == 3)
    #expect(try await channel.post([Self.write("hall")], first: 4).status == 200)
    #expect(try await backend.embedded.documents().list("rooms").map(\.id) == ["den"])
    try await channel.terminate()
  }

  @Test func rulesApply() async throws {
    backend.embedded.onDocumentAccess { _ in false }
    let channel = try await WireChannel(
      client, to: "Write", [Self.begin, Self.write("den")])
    let error = try await channel.read { $0["error"] != nil }.last?.content["error"]
    #expect(error?["status"] == "PERMISSION_DENIED")
    let owner = try await WireChannel(
      client, to: "Write", [Self.begin, Self.write("den")], headers: "Authorization:Bearer owner\r\n")
    _ = try await owner.read { $0["commitTime"] != nil }
    let eager = try await WireChannel(
      client, to: "Write", [Self.write("attic")])
    #expect(
      try await eager.read { $0["error"] != nil }.last?.content["error"]?["status"] == "INVALID_ARGUMENT")
    await backend.embedded.close()
  }
}
