import Dispatch
import Foundation
import TenonTestSupport
import Testing

@testable import TenonFoundation

@Suite(.limited) struct PrivateFileTests {
  private func withFile(_ body: (PrivateFile, URL) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "private-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(PrivateFile(directory: directory.path, name: "secret"), directory)
  }

  private func names(in directory: URL) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: directory.path))
  }

  @Test func writtenContentIsReadableByItsOwnerOnly() throws {
    try withFile { file, directory in
      #expect(try file.read() == nil)
      // More than a single `read(2)` or `write(2)` transfers.
      let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
      try file.update { _ in content }
      #expect(try file.read() == content)
      #expect(try names(in: directory) == ["secret", "secret.lock"])
      for name in ["secret", "secret.lock"] {
        let attributes = try FileManager.default.attributesOfItem(
          atPath: directory.appending(path: name).path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
      }
    }
  }

  @Test func writingNilRemovesTheFile() throws {
    try withFile { file, directory in
      try file.update { _ in [1] }
      let changed = try file.update { present in
        let content = try present.get()
        #expect(content == [1])
        return nil
      }
      #expect(changed == nil)
      #expect(try file.read() == nil)
      try file.update { _ in nil }
      #expect(try names(in: directory) == ["secret.lock"])
    }
  }

  @Test func aChangeThatFailsLeavesTheContent() throws {
    struct Failure: Error {}
    try withFile { file, directory in
      try file.update { _ in [1] }
      #expect(throws: Failure.self) { try file.update { _ in throw Failure() } }
      #expect(try file.read() == [1])
      // The draft can't be written, because its path is that of a directory that isn't empty.
      let draft = directory.appending(path: "secret.draft/full")
      try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: true)
      let error = #expect(throws: SystemError.self) { try file.update { _ in [2] } }
      #expect(error?.operation == "open" && error?.description.contains("secret.draft") == true)
      #expect(try file.read() == [1])
    }
  }

  @Test func aTemporaryFileLeftByACrashIsReplaced() throws {
    try withFile { file, directory in
      let draft = directory.appending(path: "secret.draft")
      try Data("half".utf8).write(to: draft)
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: draft.path)
      try file.update { _ in [1] }
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(try names(in: directory) == ["secret", "secret.lock"])
    }
  }

  @Test func anUnreadableFileIsAnErrorPassedToTheChange() throws {
    try withFile { file, directory in
      try FileManager.default.createDirectory(
        at: directory.appending(path: "secret"), withIntermediateDirectories: true)
      let error = #expect(throws: SystemError.self) { try file.read() }
      #expect(error?.path == file.path)
      #expect(throws: SystemError.self) { try file.update { try $0.get() } }
      try file.setAside()
      #expect(try file.read() == nil)
      #expect(try names(in: directory).contains { $0.hasPrefix("secret.unreadable-") })
    }
  }

  #if os(Linux)
    @Test func contentIsDurableBeforeItReplacesTheOld() async throws {
      let errors = try await errorsWithoutSynchronization { file in
        try file.update { _ in [2] }
      }
      #expect(errors.map(\.operation) == ["fsync"])
      #expect(errors.allSatisfy { $0.path.hasSuffix("secret.draft") })
    }

    @Test func theDirectoryIsSynchronizedAfterAChange() async throws {
      for change in [
        { (file: PrivateFile) in _ = try file.update { _ in nil } }, { try $0.setAside() },
      ] as [@Sendable (PrivateFile) throws -> Void] {
        let errors = try await errorsWithoutSynchronization(change)
        #expect(errors.map(\.operation) == ["fsync"])
        #expect(errors.allSatisfy { !$0.path.contains("secret") })
      }
    }

    /// Returns the errors that a change throws if `fsync(2)` fails.
    private func errorsWithoutSynchronization(
      _ change: @escaping @Sendable (PrivateFile) throws -> Void
    ) async throws -> [SystemError] {
      let directory = FileManager.default.temporaryDirectory.appending(path: "private-\(UUID())")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: directory) }
      let file = PrivateFile(directory: directory.path, name: "secret")
      try file.update { _ in [1] }
      return await onThread {
        SystemCallFilter.refuse(.fsync)
        do {
          try change(file)
          return []
        } catch {
          return [error as? SystemError].compactMap(\.self)
        }
      }
    }

    /// `write(2)` writes as many bytes as there is space for, and returns their number.
    @Test func partlyWrittenContentDoesNotReplaceTheOld() async {
      await #expect(processExitsWith: .success) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "private-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = PrivateFile(directory: directory.path, name: "secret")
        try file.update { _ in [1] }
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: 1_000, rlim_max: 1_000)
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        let error = #expect(throws: SystemError.self) {
          try file.update { _ in [UInt8](repeating: 2, count: 5_000) }
        }
        #expect(error?.operation == "write")
        #expect(try file.read() == [1])
      }
    }
  #endif

  @Test func changesOfManyThreadsAreSerialized() throws {
    try withFile { file, _ in
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        for _ in 0..<5 {
          _ = try? file.update { present in
            var content = try present.get() ?? [0]
            content[0] += 1
            return content
          }
        }
      }
      let content = try file.read()
      #expect(content == [20])
    }
  }
}
