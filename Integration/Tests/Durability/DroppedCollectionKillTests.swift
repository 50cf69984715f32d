import Foundation
import TenonTestSupport
import TenonTesting
import Testing

/// Processes that are killed while the rows of a dropped collection are deleted, and while it is dropped.
/// `TENON_KILLS` sets the number of kills for each form of the file, 8 by default and 60 in a deep run.
@Suite(.limited, .serialized) struct DroppedCollectionKillTests {
  private static let kills =
    Int(ProcessInfo.processInfo.environment["TENON_KILLS"] ?? "") ?? DeepTests.count(8, deep: 60)
  private static let count = 10_020
  /// As many processes work on a database, one after another.
  private static let processes = 4

  @Test(arguments: [false, true])
  func deletingContinuesAndNothingElseIsLost(isEncrypted: Bool) async throws {
    let environment = SharedDatabase.environment(isEncrypted: isEncrypted)
    var generator = SeededGenerator(seed: isEncrypted ? 1 : 0)
    try await withTemporaryDirectory { directory in
      let (full, database) = (directory.appending(path: "full"), directory.appending(path: "dropped"))
      let filling = try await Executable("store-writer").run(
        ["drop-fill", full.path, "\(Self.count)"], environment: environment)
      #expect(filling.status == 0, "\(filling.errors)")
      var (interrupted, killed) = (0, 0)
      for _ in 0..<max(Self.kills / Self.processes, 1) {
        try? FileManager.default.removeItem(at: database)
        try FileManager.default.copyItem(at: full, to: database)
        var (isDropped, written, doubtful): (Bool, Set<String>, Set<String>) = (false, [], [])
        for number in 0..<Self.processes {
          let process = try Executable("store-writer").start(
            ["drop", database.path, "r\(killed)"], environment: environment)
          if Bool.random(using: &generator) {
            // Before or while it is dropped, or early in the deletion of the rows.
            _ = await process.output { $0.contains(number == 0 ? "dropping" : "dropped") }
          } else {
            _ = await process.output { $0.contains("done") }
          }
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...40, using: &generator)))
          process.signal(SIGKILL)
          killed += 1
          let lines = await process.result().output.split(
            separator: "\n", omittingEmptySubsequences: false
          ).dropLast().map(String.init)
          isDropped = isDropped || lines.contains { $0.hasPrefix("dropped") }
          for line in lines where line.hasPrefix("done ") { written.insert(String(line.dropFirst(5))) }
          if let last = lines.last, last.hasPrefix("begin ") { doubtful.insert(String(last.dropFirst(6))) }
        }
        let found = try await Executable("store-writer").run(
          ["drop-inspect", database.path], environment: environment)
        #expect(found.status == 0, "\(found.errors)")
        let lists = Dictionary(
          found.lines.map { line in
            let words = line.split(separator: " ").map(String.init)
            return (words.first ?? "", Array(words.dropFirst()))
          }, uniquingKeysWith: { $1 })
        let others = (0..<5).map { "n\($0)" }
        let documents = Set(lists["documents"] ?? [])
        if !isDropped, documents.count == Self.count { continue }
        interrupted += 1
        #expect(documents.isSuperset(of: written) && documents.isSubset(of: written.union(doubtful)))
        #expect(lists["old"] == others)
        #expect(lists["new"] == documents.sorted())
        #expect(lists["group"] == ["\(documents.count + others.count)"])
        #expect(lists["found"] == (Array(documents) + others).sorted())
        #expect(
          try integrity(
            of: SharedDatabase.file(in: database), key: isEncrypted ? SharedDatabase.key : nil) == "ok")
        guard !isEncrypted else { continue }
        let check = try await Executable("tenon").run(
          ["store", "check", SharedDatabase.file(in: database).path])
        #expect(check.status == 0, "\(check.output)\(check.errors)")
      }
      #expect(interrupted > 0)
    }
  }
}
