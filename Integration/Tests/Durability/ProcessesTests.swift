import Foundation
import TenonDocuments
import TenonStore
import TenonTestSupport
import Testing

/// Several processes that use one database.
@Suite(.limited) struct ProcessesTests {
  private let writer = Executable("store-writer")

  private func withDatabase(_ body: (URL) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await body($0.appending(path: "shared-\(UUID())")) }
  }

  @Test func processesIncrementTheSameCounters() async throws {
    try await withDatabase { directory in
      let (processes, times) = (4, 25)
      // They start at the same time, before the database exists.
      let running = try (0..<processes).map { _ in try writer.start(["count", directory.path, "\(times)"]) }
      for process in running {
        let result = await process.result()
        #expect(result.status == 0, "\(result.errors)")
      }
      let counters = try await SharedDatabase.with(directory) { store in
        try await store.collection("counters").getDocuments().documents.map { $0.fields["count"] }
      }
      #expect(counters == [.integer(Int64(processes * times)), .integer(Int64(processes * times))])
    }
  }

  @Test func processesReadTheSameDocuments() async throws {
    try await withDatabase { directory in
      // A process that was killed leaves its log to the others.
      let killed = try writer.start(["write", directory.path, "r", "1"])
      _ = await killed.output { $0.components(separatedBy: "\ndone ").count > 20 }
      killed.signal(SIGKILL)
      _ = await killed.result()
      let first = try writer.start(["list", directory.path])
      let second = try writer.start(["list", directory.path])
      let here = try await SharedDatabase.with(directory) { store in
        try await store.collection("kept").getDocuments().documents.map { $0.reference.path }
      }
      let (one, other) = (await first.result(), await second.result())
      #expect(one.status == 0 && other.status == 0, "\(one.errors)\(other.errors)")
      #expect(one.lines == other.lines)
      let kept = one.lines.compactMap { $0.split(separator: " ").first }.filter { $0.hasPrefix("kept/") }
      #expect(kept.map(String.init) == here)
      #expect(!here.isEmpty)
    }
  }

  @Test func listenersOfTwoProcessesSeeEachOthersWrites() async throws {
    try await withDatabase { directory in
      try await SharedDatabase.with(directory) { store in
        var answers = store.collection("answers").snapshots.makeAsyncIterator()
        #expect(try await answers.next()?.isEmpty == true)
        let watcher = try writer.start(["watch", directory.path])
        _ = await watcher.output { $0.contains("sees 0") }
        let note = store.document("kept/a")
        try await note.setData(["version": 1])
        #expect(try await answers.next()?.documents.map { $0.fields["kind"] } == ["added"])
        try await note.setData(["version": 2])
        #expect(try await answers.next()?.documents.map { $0.fields["kind"] } == ["modified"])
        try await note.delete()
        #expect(try await answers.next()?.documents.map { $0.fields["kind"] } == ["removed"])
        try await store.document("kept/end").setData(["version": 0])
        let result = await watcher.result()
        #expect(result.status == 0, "\(result.errors)")
        #expect(
          result.lines.filter { !$0.hasPrefix("sees") } == [
            "added a", "modified a", "removed a", "added end",
          ])
      }
    }
  }
}
