import Foundation
import TenonSQLite
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// What interrupted uploads leave in the database.
@Suite(.limited) struct AbandonedContentTests {
  private let base = "https://firebasestorage.googleapis.com/v0/b/demo/o"

  /// Stores what an upload leaves whose process ends in the middle of it.
  private func interrupt(_ backend: Backend) async throws {
    try await backend.withDatabase { database in
      let content = try database.insertContent(created: Timestamp(millisecondsSince1970: 1_700_000_000_000))
      try database.append(Data(count: 1 << 20), to: content, at: 0)
    }
  }

  private func begin(_ backend: Backend) async throws -> String {
    let headers = ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]
    let response = try await backend.send(.post, "\(base)?name=b", headers: headers)
    let url = try #require(response.headers["X-Goog-Upload-URL"])
    let upload = ["X-Goog-Upload-Command": "upload", "X-Goog-Upload-Offset": "0"]
    _ = try await backend.send(.post, url, body: Data("hello".utf8), headers: upload)
    return url
  }

  @Test func theNextOpeningDeletesWhatAnInterruptedUploadLeft() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    _ = try await first.send(.post, "\(base)?name=a", body: Data("kept".utf8))
    let url = try await begin(first)
    try await interrupt(first)
    #expect(try await first.storedRows() == ["contents": 3, "pieces": 3, "drafts": 2, "objects": 1])
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(try await second.storedRows() == ["contents": 2, "pieces": 2, "drafts": 1, "objects": 1])
    let command = ["X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "5"]
    #expect(try await second.send(.post, url, body: Data("!".utf8), headers: command).status == 200)
    #expect(try await second.send(.get, "\(base)/b?alt=media").body == Data("hello!".utf8))
    #expect(try await second.send(.get, "\(base)/a?alt=media").body == Data("kept".utf8))
    #expect(try await second.storedRows()["drafts"] == 0)
  }

  #if !os(Windows)
    @Test func theUploadsOfAnotherProcessAreLeftAlone() async throws {
      let directory = TemporaryDirectory()
      defer { directory.remove() }
      let first = Backend(directory: directory.path)
      try await interrupt(first)
      let second = Backend(directory: directory.path)
      #expect(try await second.storedRows()["drafts"] == 1)
      await first.embedded.close()
      let third = Backend(directory: directory.path)
      #expect(try await third.storedRows()["drafts"] == 1)
      await second.embedded.close()
      await third.embedded.close()
      #expect(try await Backend(directory: directory.path).storedRows()["drafts"] == 0)
    }
  #endif
}

extension Backend {
  /// Runs a closure in a transaction of the backend's database.
  func withDatabase<Result: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase) throws -> Result
  ) async throws -> Result {
    try await embedded.objects.database.transaction(body)
  }

  /// Returns the numbers of rows of the tables of objects.
  func storedRows() async throws -> [String: Int64] {
    try await withDatabase { database in
      var counts: [String: Int64] = [:]
      for table in ["contents", "pieces", "drafts", "objects"] {
        counts[table] = try database.opened().first("SELECT count(*) FROM \(table)") { $0.integer(0) }
      }
      return counts
    }
  }
}
