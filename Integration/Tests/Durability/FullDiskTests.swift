import Foundation
import TenonStorage
import TenonStore
import TenonTestSupport
import Testing

/// Disks without space: a write is rejected as a whole, what was acknowledged remains, and the same store
/// continues when there is space again.
@Suite(.limited) struct FullDiskTests {
  private let writer = Executable("store-writer")

  private func check(_ result: Executable.Result, refusal: String) {
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.lines
    let written = lines.filter { $0.hasPrefix("done ") && $0 != "done last" }.count
    #expect(written >= 2)
    #expect(Array(lines.dropFirst(written)) == ["refused \(refusal)", "count \(written + 1)", "done last"])
  }

  /// The process can't write files beyond a certain size.
  @Test(.enabled(if: Self.isLinux), arguments: [400_000, 450_000, 533_333])
  func aFileThatCannotGrowIsReportedAndLosesNothing(size: Int) async throws {
    try await withTemporaryDirectory { directory in
      let database = directory.appending(path: "full-\(UUID())")
      let result = try await writer.run(["fill", database.path, "\(size)"])
      // The system distinguishes this from a full disk, and SQLite reports an I/O error.
      check(result, refusal: "unavailable")
      try await SharedDatabase.with(database) { store in
        let count = try await store.collection("kept").count.getAggregation().count ?? 0
        #expect(count == result.lines.filter { $0.hasPrefix("done ") }.count + 1)
      }
      let integrity = try integrity(of: SharedDatabase.file(in: database))
      #expect(integrity == "ok")
    }
  }

  /// A file system of 2 MB, which only the process sees.
  @Test(.enabled("needs its own file system", { try await Self.canMount }), arguments: [false, true])
  func aFullDiskIsReportedAndLosesNothing(isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let disk = directory.appending(path: "disk")
      try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
      let commands = """
        mount -t tmpfs -o size=2m none "$1" && "$2" fill "$1/full" && "$2" list "$1/full" | wc -l
        """
      let result = try await Executable(path: "/usr/bin/env").run(
        ["unshare", "-rm", "sh", "-c", commands, "sh", disk.path, writer.url.path],
        environment: SharedDatabase.environment(isEncrypted: isEncrypted))
      var lines = result.lines
      let listed = lines.popLast()?.trimmingCharacters(in: .whitespaces)
      check(
        Executable.Result(
          status: result.status, output: lines.joined(separator: "\n"), errors: result.errors),
        refusal: "resource-exhausted")
      // Another process finds these documents and no others.
      #expect(listed == "\(lines.filter { $0.hasPrefix("done ") }.count + 1)")
    }
  }

  /// Documents can be deleted on a disk without a free byte, also after the process was started again, and
  /// their space is used again.
  @Test(
    .enabled("needs its own file system", { try await Self.canMount }), arguments: ["", "remote"],
    [false, true])
  func documentsCanBeDeletedOnAFullDisk(remote: String, isEncrypted: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let disk = directory.appending(path: "disk")
      try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
      let commands = """
        mount -t tmpfs -o size=3m none "$1" && "$2" cram "$1/full" $3 && "$2" clear "$1/full" $3
        """
      let result = try await Executable(path: "/usr/bin/env").run(
        ["unshare", "-rm", "sh", "-c", commands, "sh", disk.path, writer.url.path, remote],
        environment: SharedDatabase.environment(isEncrypted: isEncrypted))
      #expect(result.status == 0, "\(result.output) \(result.errors)")
      let lines = result.lines
      let written = lines.filter { $0.hasPrefix("done ") }.count
      #expect(written >= 4)
      #expect(
        Array(lines.dropFirst(written)) == [
          "refused resource-exhausted", "deleted n1", "deleted n2", "found \(written - 2)",
          "cleared \(written - 2)", #"kept ["again"]"#,
        ])
    }
  }

  // MARK: - Read-only media

  /// Makes a database, runs commands on it, and returns what `store-writer` prints that reads it.
  ///
  /// - Parameters:
  ///   - commands: run in a shell whose mounts only it sees, with the directory as `$1`, the database's file
  ///     as `$2` and `store-writer` as `$3`.
  ///   - options: the last arguments for writing and for reading.
  private func look(
    after commands: String, making option: String = "", looking other: String = ""
  ) async throws -> (lines: [String], errors: String, file: String) {
    try await withTemporaryDirectory { directory in
      let app = directory.appending(path: "apps/medium")
      let made = try await writer.run(["make", app.path] + (option.isEmpty ? [] : [option]))
      #expect(made.status == 0, "\(made.errors)")
      let file = SharedDatabase.file(in: app).path
      let result = try await Executable(path: "/usr/bin/env").run(
        [
          "unshare", "-rm", "sh", "-c", commands + #" && "$3" look "$1" "# + other, "sh", app.path, file,
          writer.url.path,
        ])
      return (result.lines, result.errors, file)
    }
  }

  private static let readOnlyDirectory = """
    cd "$(dirname "$2")" && rm -f "$2-reserve" && mount --bind . . && mount -o remount,ro,bind "$(pwd)"
    """
  private static let readOnlyFile = #"mount --bind "$2" "$2" && mount -o remount,ro,bind "$2""#

  @Test(
    .enabled("needs its own mounts", { try await Self.canMount }),
    arguments: [readOnlyDirectory, readOnlyFile])
  func aDatabaseThatWasClosedIsReadWhereItCannotBeWritten(commands: String) async throws {
    let (lines, errors, file) = try await look(after: commands)
    #expect(
      Array(lines.prefix(3)) == [#"documents ["1", "2", "3"]"#, "count 3", #"listener ["3"]"#], "\(errors)")
    #expect(lines.count == 5)
    #expect(lines.dropFirst(3).first?.contains("\(file) can only be read") == true, "\(lines)")
    #expect(lines.dropFirst(3).first?.hasSuffix("(failed-precondition)") == true)
    #expect(lines.last == "deletion failed-precondition")
  }

  @Test(
    .enabled("needs its own mounts", { try await Self.canMount }),
    arguments: [("open", "", "wasn't closed"), ("", "remote", "only a local-only database")])
  func aDatabaseThatCannotBeReadWhereItCannotBeWrittenIsNamed(
    option: String, other: String, reason: String
  ) async throws {
    let (lines, errors, file) = try await look(
      after: Self.readOnlyDirectory, making: option, looking: other)
    #expect(lines.isEmpty)
    #expect(errors.contains(file) && errors.contains(reason), "\(errors)")
    #expect(errors.contains("(failed-precondition)"))
  }

  // MARK: - Storage

  @Test(.deep, .enabled("needs its own file system", { try await Self.canMount }))
  func anUploadForWhichTheServerHasNoSpaceIsRefusedAndLosesNothing() async throws {
    try await withTemporaryDirectory { directory in
      let server = try await ServedBackend(directory: directory.appending(path: "disk"), diskSize: 8)
      try await server.withApp { app in
        let storage = try Storage.storage(app: app)
        // Long enough for an answer of a busy machine.
        storage.maxUploadRetryTime = .seconds(20)
        let kept = storage.reference(withPath: "kept")
        _ = try await kept.putDataAsync(pattern(1 << 20))
        for size in [200 << 10, 16 << 20] {
          // Until there is no space left.
          let refusal = await #expect(throws: StorageError.self) {
            for number in 0..<100 {
              _ = try await storage.reference(withPath: "\(size)/\(number)").putDataAsync(pattern(size))
            }
          }
          #expect(refusal?.code == .retryLimitExceeded)
          #expect(refusal?.message.contains("507") == true, "\(String(describing: refusal))")
        }
        #expect(try await kept.data() == pattern(1 << 20))
        // What was acknowledged is complete, and nothing else is there.
        let objects = try await storage.reference(withPath: "\(200 << 10)").listAll().items
        #expect(!objects.isEmpty)
        for object in objects { #expect(try await object.data() == pattern(200 << 10)) }
        #expect(try await storage.reference(withPath: "\(16 << 20)").listAll().items.isEmpty)
      }
      _ = await server.stop()
    }
  }

  private static var isLinux: Bool {
    #if os(Linux)
      true
    #else
      false
    #endif
  }

  /// Whether a process can mount its own file systems here. Containers often forbid it.
  private static var canMount: Bool {
    get async throws {
      guard isLinux else { return false }
      let commands = "mount -t tmpfs -o size=1m none /tmp"
      let result = try await Executable(path: "/usr/bin/env").run(["unshare", "-rm", "sh", "-c", commands])
      return result.status == 0
    }
  }
}
