import Foundation
import TenonProcesses
import TenonTestSupport
import Testing

/// Several processes with one database and one remote, which has no batch IDs.
@Suite(.limited) struct SendingProcessesTests {
  private static let writes = 20
  private let names = ["a", "b", "c"]

  /// Processes that have made their writes, none of which the remote has applied yet.
  private struct Senders {
    let journal: URL
    var processes: [String: RunningExecutable] = [:]
    /// A process runs as long as its input is open. A pipe can be passed to one process only.
    var inputs: [Pipe] = []

    /// The batches that were applied, in their order: the process that sent each of them, and its writes.
    var applied: [(process: String, document: String)] {
      let text = (try? String(contentsOf: journal, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map { line in
        let words = line.split(separator: " ").map(String.init)
        return (words[0], words[1])
      }
    }

    /// Allows the remote to apply batches, up to a total number.
    func open(upTo count: Int = .max) throws {
      try Data("\(count)".utf8).write(to: URL(filePath: "\(journal.path).open"), options: .atomic)
    }

    /// Waits until the applied batches satisfy a condition. The process that sent a batch reports when it was
    /// applied.
    func wait(until isEnough: @escaping @Sendable (Senders) -> Bool) async throws {
      let (met, meeting) = AsyncStream<Bool>.makeStream()
      for process in processes.values {
        Task { meeting.yield(await process.output { _ in isEnough(self) } != nil) }
      }
      // A process that ends before reports that as well.
      for await isMet in met where isMet { return }
    }
  }

  /// Makes a directory in whose place of the database is a symbolic link to that of another directory.
  private func linked(to database: URL) throws -> URL {
    let link = database.deletingLastPathComponent().appending(path: "linked-\(UUID())")
    for directory in [link, database] {
      try FileManager.default.createDirectory(
        at: SharedDatabase.file(in: directory).deletingLastPathComponent(), withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      at: SharedDatabase.file(in: link), withDestinationURL: SharedDatabase.file(in: database))
    return link
  }

  /// Starts three processes.
  ///
  /// - Parameter link: whether two of them open the database through a symbolic link.
  private func withSenders(link: Bool = false, _ body: (Senders) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      var senders = Senders(journal: directory.appending(path: "journal"))
      let database = directory.appending(path: "shared-\(UUID())")
      let others = link ? try linked(to: database) : database
      for name in names {
        let path = name == "a" ? database.path : others.path
        let arguments = ["send", path, name, "\(Self.writes)", senders.journal.path]
        let input = Pipe.exclusive
        senders.inputs.append(input)
        senders.processes[name] = try Executable("store-writer").start(arguments, input: input)
      }
      for process in senders.processes.values {
        #expect(await process.output { $0.contains("made ") } != nil)
      }
      defer { for process in senders.processes.values { process.signal(SIGKILL) } }
      try await body(senders)
    }
  }

  private func documents(of name: String) -> Set<String> {
    Set((0..<Self.writes).map { "sent/\(name)-\($0)" })
  }

  @Test(arguments: [false, true])
  func oneProcessSendsEachWriteOnceAndAllAreUpdated(link: Bool) async throws {
    try await withSenders(link: link) { senders in
      try senders.open()
      for process in senders.processes.values {
        #expect(await process.output { $0.contains("confirmed ") } != nil)
      }
      let applied = senders.applied.map(\.document)
      #expect(applied.count == names.count * Self.writes)
      #expect(Set(applied) == names.reduce(into: []) { $0.formUnion(documents(of: $1)) })
      #expect(Set(senders.applied.map(\.process)).count == 1)
    }
  }

  /// Only a batch that was in flight when its sender was killed may be applied twice, because its outcome is
  /// unknown.
  @Test func whenTheSenderIsKilledAnotherProcessSendsWhatIsLeft() async throws {
    try await withSenders { senders in
      try senders.open(upTo: 30)
      try await senders.wait { $0.applied.count == 30 }
      let sender = try #require(senders.applied.last?.process)
      senders.processes[sender]?.signal(SIGKILL)
      _ = await senders.processes[sender]?.result()
      let before = senders.applied.map(\.document)
      #expect(before.count == 30)
      try senders.open()
      for (name, process) in senders.processes where name != sender {
        #expect(await process.output { $0.contains("confirmed ") } != nil)
      }
      // The writes of the killed process are sent as well.
      let all: Set<String> = names.reduce(into: []) { $0.formUnion(documents(of: $1)) }
      try await senders.wait { Set($0.applied.map(\.document)) == all }
      let applied = senders.applied
      #expect(!applied.dropFirst(before.count).contains { $0.process == sender })
      let repeated = Dictionary(grouping: applied.map(\.document)) { $0 }.filter { $0.value.count > 1 }.keys
      #expect(repeated.allSatisfy { before.suffix(10).contains($0) }, "answered before: \(repeated)")
    }
  }
}
