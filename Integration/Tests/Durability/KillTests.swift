import Foundation
import TenonDocuments
import TenonSQLite
import TenonStore
import TenonTestSupport
import TenonTesting
import Testing

/// Processes that are killed while they write. `TENON_KILLS` sets their total number, 16 by default and 200
/// in a deep run. The cases run one after another, because the processes compete with all other tests. In
/// half of them, the database is encrypted.
@Suite(.limited, .serialized) struct KillTests {
  private static let groups = 8
  private static let kills =
    Int(ProcessInfo.processInfo.environment["TENON_KILLS"] ?? "") ?? DeepTests.count(16, deep: 200)

  /// One process or two write, and each is killed: after a random number of acknowledged writes, or at a
  /// random time after its start, which may be before the database exists.
  @Test(arguments: 0..<groups)
  func everyAcknowledgedWriteSurvives(group: Int) async throws {
    let isEncrypted = group % 2 == 1 || SharedDatabase.areEncrypted
    var generator = SeededGenerator(seed: UInt64(group))
    var killed = 0
    var acknowledged = 0
    while killed < Self.kills / Self.groups {
      // A new database from time to time, so that reading all of it remains fast and its creation is
      // interrupted, too.
      try await withTemporaryDirectory { directory in
        let database = directory.appending(path: "killed-\(UUID())")
        var journal = WriterJournal()
        for _ in 0..<5 {
          let runs = (0..<Int.random(in: 1...2, using: &generator)).map { "r\(killed + $0)" }
          var doubts: [WriterJournal.Doubt] = []
          for (run, lines) in try await killedWriters(runs, database, isEncrypted, &generator) {
            if let doubt = journal.take(lines, of: run) { doubts.append(doubt) }
          }
          killed += runs.count
          try await audit(
            database, isEncrypted, &journal, doubts, together: Bool.random(using: &generator))
        }
        acknowledged += journal.acknowledged
      }
    }
    #expect(acknowledged > killed, "the processes were killed before they could do anything")
  }

  /// A process replaces the key again and again, and is killed.
  @Test func aKilledReplacementOfTheKeyLeavesOneOfTheTwo() async throws {
    var generator = SeededGenerator(seed: 1)
    try await withTemporaryDirectory { directory in
      let database = directory.appending(path: "rotated-\(UUID())")
      var (replaced, expected) = (0, 0)
      for _ in 0..<Self.kills {
        let process = try Executable("store-writer").start(["rotate", database.path])
        try await Ending(using: &generator).wait(for: process)
        process.signal(SIGKILL)
        let lines = Self.wholeLines(await process.result().output)
        replaced += lines.count { $0.hasPrefix("done") }
        expected = lines.last { $0.hasPrefix("done") }.flatMap { Int($0.dropFirst(5)) } ?? expected
        let file = SharedDatabase.file(in: database)
        guard FileManager.default.fileExists(atPath: file.path) else { continue }
        var fitting = 0
        for key in [1..<33, 2..<34] as [Range<UInt8>] {
          do {
            #expect(try integrity(of: file, key: key) == "ok")
            fitting += 1
            let count = try await SharedDatabase.with(database, key: key) { store in
              try await store.document("counters/rotated").getDocument().fields?["count"]?.int64Value
            }
            #expect(count ?? 0 >= expected)
          } catch let error as SQLiteError { #expect(error.code == .keyWrong, "\(error)") }
        }
        #expect(fitting == 1)
      }
      #expect(replaced > Self.kills)
    }
  }

  /// A process opens a database that isn't encrypted with a key, and is killed.
  @Test func aKilledEncryptionLosesNothing() async throws {
    var generator = SeededGenerator(seed: 2)
    try await withTemporaryDirectory { directory in
      let (plain, database) = (
        directory.appending(path: "plain"), directory.appending(path: "encrypted-\(UUID())")
      )
      try await SharedDatabase.with(plain, key: nil) { store in
        for part in 0..<10 {
          let batch = store.batch()
          for number in 0..<200 {
            try batch.setData(
              ["text": String(repeating: "clear", count: 100)],
              forDocument: store.document("kept/n\(part)-\(number)"))
          }
          try await batch.commit()
        }
      }
      var encrypted = 0
      for _ in 0..<Self.kills {
        try? FileManager.default.removeItem(at: database)
        try FileManager.default.copyItem(at: plain, to: database)
        let process = try Executable("store-writer").start(
          ["list", database.path], environment: SharedDatabase.environment(isEncrypted: true))
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...150, using: &generator)))
        process.signal(SIGKILL)
        _ = await process.result()
        let head = try Data(contentsOf: SharedDatabase.file(in: database)).prefix(5)
        if head == Data("Tenon".utf8) { encrypted += 1 }
        let count = try await SharedDatabase.with(database, key: SharedDatabase.key) { store in
          try await store.collection("kept").count.getAggregation().count
        }
        #expect(count == 2_000)
        // Also in the directories that a killed process has left.
        let directory = SharedDatabase.file(in: database).deletingLastPathComponent()
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
          let file = directory.appending(path: path)
          guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
          #expect(try Data(contentsOf: file).range(of: Data("clearclear".utf8)) == nil, "\(path)")
        }
      }
      print("\(encrypted) of \(Self.kills) processes had encrypted the database")
    }
  }

  /// Runs writers concurrently until each is killed, and returns their output.
  private func killedWriters(
    _ runs: [String], _ directory: URL, _ isEncrypted: Bool, _ generator: inout SeededGenerator
  ) async throws -> [(String, [String])] {
    var writers: [(run: String, process: RunningExecutable, end: Ending)] = []
    for run in runs {
      let arguments = ["write", directory.path, run, "\(generator.next())"]
      let process = try Executable("store-writer").start(
        arguments, environment: SharedDatabase.environment(isEncrypted: isEncrypted))
      writers.append((run, process, Ending(using: &generator)))
    }
    return try await withThrowingTaskGroup(of: (String, [String]).self) { group in
      for (run, process, end) in writers {
        group.addTask {
          try await end.wait(for: process)
          process.signal(SIGKILL)
          let result = await process.result()
          #expect(result.status == -SIGKILL, "\(result.errors)")
          return (run, Self.wholeLines(result.output))
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Returns the complete lines of an output; the last line may lack its end.
  private static func wholeLines(_ output: String) -> [String] {
    output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Opens the database, sometimes in two processes concurrently, and compares its contents.
  private func audit(
    _ directory: URL, _ isEncrypted: Bool, _ journal: inout WriterJournal, _ doubts: [WriterJournal.Doubt],
    together: Bool
  ) async throws {
    let environment = SharedDatabase.environment(isEncrypted: isEncrypted)
    async let other =
      together ? Executable("store-writer").run(["list", directory.path], environment: environment) : nil
    try await SharedDatabase.with(directory, key: isEncrypted ? SharedDatabase.key : nil) { store in
      try await DatabaseAudit(store).check(&journal, doubts: doubts)
    }
    if let other = try await other {
      #expect(other.status == 0, "\(other.errors)")
      let paths = other.lines.compactMap { $0.split(separator: " ").first.map(String.init) }
      #expect(paths.filter { $0.hasPrefix("kept/") }.sorted() == journal.versions.keys.sorted())
    }
    let integrity = try integrity(
      of: SharedDatabase.file(in: directory), key: isEncrypted ? SharedDatabase.key : nil)
    #expect(integrity == "ok")
  }

  /// The time at which a process is killed.
  private enum Ending {
    case afterWrites(Int)
    case afterTime(Duration)

    init(using generator: inout SeededGenerator) {
      self =
        Bool.random(using: &generator)
        ? .afterWrites(Int.random(in: 0...25, using: &generator))
        : .afterTime(.microseconds(Int.random(in: 0...60_000, using: &generator)))
    }

    func wait(for process: RunningExecutable) async throws {
      switch self {
      case .afterWrites(let count):
        _ = await process.output { $0.components(separatedBy: "\ndone ").count > count }
      case .afterTime(let time): try await Task.sleep(for: time)
      }
    }
  }
}
