import Foundation
import TenonTestSupport
import Testing

/// The example app on several devices, synchronized through a server: each device is a directory, each
/// command a process.
@Suite(.limited) struct NotesSyncTests {
  private static let sample = packageRoot.appending(path: "Integration/Notes/Sample")
  /// The project of the notes.
  private static let project = "notes"
  /// An address at which nothing listens: a device that uses it is offline.
  private static let nowhere = "127.0.0.1:1"

  /// A device with a separate directory.
  private struct Device {
    let data: URL

    /// Runs a command.
    ///
    /// - Parameters:
    ///   - arguments: the command and its arguments.
    ///   - address: the value of `--emulator`; without the option if `nil`.
    ///   - status: the expected exit code.
    @discardableResult
    func run(
      _ arguments: String..., at address: String? = nil, status: Int32 = 0
    ) async throws -> Executable.Result {
      let result = try await Executable("Notes").run(all(arguments, address), environment: Self.environment)
      #expect(result.status == status, "\(arguments): \(result.output) \(result.errors)")
      return result
    }

    func start(_ arguments: String..., at address: String) throws -> RunningExecutable {
      try Executable("Notes").start(all(arguments, address), environment: Self.environment)
    }

    /// Returns the paths of the notes.
    func paths(at address: String) async throws -> [String] {
      struct Item: Decodable { let path: String }
      return try await run("list", "--json", at: address).lines.map {
        try JSONDecoder().decode(Item.self, from: Data($0.utf8)).path
      }
    }

    private func all(_ arguments: [String], _ address: String?) -> [String] {
      // A server may be slow on a busy machine. Where nothing listens, a device doesn't wait.
      arguments + ["--data", data.path] + (address.map { ["--emulator", $0, "--wait", "60"] } ?? [])
    }

    private static let environment = ["NO_COLOR": "1"]
  }

  private func withDevices(_ body: (URL, Device, Device) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      try await body(
        directory, Device(data: directory.appending(path: "one")),
        Device(data: directory.appending(path: "two")))
    }
  }

  /// Changes notes on one device and follows the changes on another one.
  private func followChanges(_ one: Device, _ two: Device, at address: String) async throws {
    let watcher = try two.start("watch", at: address)
    _ = await watcher.errors { $0.contains("connected to") && $0.contains("watching") }
    try await one.run("add", "Green tea", "--text", "Three minutes.", at: address)
    #expect(await watcher.output { $0.contains("added Green tea.md\n") } != nil)
    try await one.run("edit", "Green tea.md", "--append", "Or two.", at: address)
    #expect(await watcher.output { $0.contains("modified Green tea.md\n") } != nil)
    let text = "# Green tea\n\nThree minutes.\nOr two.\n"
    #expect(try await two.run("show", "Green tea", at: address).output == text)
    #expect(
      try await two.run("stats", at: address).lines.prefix(3) == ["notes: 1", "attachments: 0", "words: 7"])
    try await one.run("remove", "Green tea.md", at: address)
    #expect(await watcher.output { $0.contains("removed Green tea.md\n") } != nil)
    watcher.signal(SIGINT)
    #expect(await watcher.result().status == 0)
  }

  /// Makes changes on two devices that can't reach the server.
  private func changeOffline(_ one: Device, _ two: Device) async throws {
    let added = try await one.run("add", "Milk", at: Self.nowhere)
    #expect(added.output == "added Milk.md\n")
    #expect(added.errors.contains("offline: no server can be reached at \(Self.nowhere)"))
    #expect(added.errors.contains("1 change waits for the server"))
    try await one.run("edit", "Tea", "--text", "# Tea\n\nWith milk.", at: Self.nowhere)
    try await two.run("add", "Sugar", at: Self.nowhere)
    try await two.run("remove", "Salt.md", at: Self.nowhere)
    #expect(try await one.paths(at: Self.nowhere) == ["Milk.md", "Salt.md", "Tea.md"])
    #expect(try await two.paths(at: Self.nowhere) == ["Sugar.md", "Tea.md"])
  }

  /// Prepares two devices that know the same notes.
  private func prepare(_ one: Device, _ two: Device, at address: String) async throws {
    try await one.run("add", "Tea", at: address)
    try await one.run("add", "Salt", at: address)
    #expect(try await two.run("sync", at: address).output == "synchronized: notes 2, changes sent 0\n")
  }

  /// Verifies that two devices have the changes of ``changeOffline(_:_:)`` once both have reached the server.
  private func checkMerge(_ one: Device, _ two: Device, at address: String) async throws {
    #expect(try await one.run("sync", at: address).output == "synchronized: notes 3, changes sent 2\n")
    #expect(try await two.run("sync", at: address).output == "synchronized: notes 3, changes sent 2\n")
    for device in [one, two] {
      #expect(try await device.paths(at: address) == ["Milk.md", "Sugar.md", "Tea.md"])
      let tea = try await device.run("show", "Tea", at: address)
      #expect(tea.output == "# Tea\n\nWith milk." && tea.errors.isEmpty)
    }
  }

  @Test func changesOfOneDeviceAppearOnAnotherThroughTenonServer() async throws {
    try await withDevices { directory, one, two in
      try await withServedBackend(project: Self.project) { server in
        try await followChanges(one, two, at: server.address)
        let imported = try await one.run("import", Self.sample.path, at: server.address)
        #expect(imported.output.hasPrefix("imported 9, unchanged 0, attachments 2, removed 0, failed 0"))
        let copy = directory.appending(path: "copy")
        let exported = try await two.run("export", copy.path, at: server.address)
        #expect(exported.output == "exported 9 notes and 2 attachments\n")
        let diff = try await Executable(path: "/usr/bin/env").run([
          "diff", "-r", Self.sample.path, copy.path,
        ])
        #expect(diff.status == 0 && diff.output.isEmpty, "\(diff.output)")
      }
    }
  }

  @Test func changesOfTwoDevicesWhileTheServerIsAwayAreMergedWhenItReturns() async throws {
    try await withDevices { directory, one, two in
      let data = directory.appending(path: "server")
      try await withServedBackend(project: Self.project, directory: data) { server in
        try await prepare(one, two, at: server.address)
      }
      try await changeOffline(one, two)
      try await withServedBackend(project: Self.project, directory: data) { server in
        try await checkMerge(one, two, at: server.address)
      }
    }
  }

  /// In one test, because the emulator is shared, and the notes have one project.
  @Test(.deep, .firestoreEmulator)
  func devicesAreSynchronizedThroughGooglesEmulator() async throws {
    let emulator = try await FirestoreEmulator.shared()
    let address = "127.0.0.1:\(try #require(emulator.origin.port))"
    try await withDevices { directory, one, two in
      try await followChanges(one, two, at: address)
      try await prepare(one, two, at: address)
      try await changeOffline(one, two)
      try await checkMerge(one, two, at: address)
      // It stores documents only.
      let imported = try await one.run("import", Self.sample.path, at: address, status: 2)
      #expect(imported.output.hasPrefix("imported 9, unchanged 0, attachments 0, removed 0, failed 2"))
      #expect(imported.errors.contains("failed: travel/pictures/dot.png: its content isn't available"))
      #expect(try await two.paths(at: address).count == 12)
    }
  }

  @Test func aNoteThatAnotherDeviceHasAddedMeanwhileIsNotReplaced() async throws {
    try await withDevices { _, one, two in
      try await one.run("add", "Tea", "--text", "Of one.", at: Self.nowhere)
      try await two.run("add", "Tea", "--text", "Of two.", at: Self.nowhere)
      try await withServedBackend(project: Self.project) { server in
        try await one.run("sync", at: server.address)
        let refused = try await two.run("sync", at: server.address, status: 1)
        #expect(refused.errors.contains("refused by the server: notes/Tea.md: "))
        let file = try #require(refused.errors.firstMatch(of: /kept in (.+\.md)/)).1
        #expect(try String(contentsOfFile: String(file), encoding: .utf8) == "# Tea\n\nOf two.\n")
        #expect(try await two.run("show", "Tea", at: server.address).output == "# Tea\n\nOf one.\n")
        #expect(try await two.run("sync", at: server.address).errors == "")
      }
    }
  }

  @Test func aServerOfAnotherProjectReceivesNothing() async throws {
    try await withDevices { _, one, _ in
      try await one.run("add", "Tea", at: Self.nowhere)
      try await withServedBackend { server in
        let refused = try await one.run("sync", at: server.address, status: 1)
        #expect(refused.errors.contains("tenon-server --project notes"), "\(refused.errors)")
      }
      try await withServedBackend(project: Self.project) { server in
        let sent = try await one.run("sync", at: server.address)
        #expect(sent.output == "synchronized: notes 1, changes sent 1\n")
      }
    }
  }

  @Test func notesAreAddedChangedAndRemovedWithoutAServer() async throws {
    try await withDevices { _, one, _ in
      #expect(try await one.run("add", " a/b\n c ", "--text", "#hot").output == "added a-b c.md\n")
      #expect(try await one.run("show", "a-b c.md").output == "# a/b c\n\n#hot\n")
      let again = try await one.run("add", "a/b c", status: 1)
      #expect(again.errors.contains("There is a note \"a-b c.md\" already"))
      #expect(try await one.run("add", ".hidden").output == "added -hidden.md\n")
      try await one.run("edit", "a/b c", "--text", "# New\n")
      #expect(try await one.run("list").lines == ["-hidden.md  .hidden", "a-b c.md  New"])
      try await one.run("remove", "New")
      #expect(try await one.run("list").lines == ["-hidden.md  .hidden"])
      for arguments in [
        ["add", " "], ["edit", "x"], ["edit", "x", "--text", "", "--append", ""], ["sync"],
      ] {
        let result = try await Executable("Notes").run(arguments + ["--data", one.data.path])
        #expect(result.status == 64 && result.output.isEmpty, "\(arguments)")
      }
    }
  }

  @Test(arguments: [
    ("127.0.0.1", "It has no port."), ("", "It has no port."), (":8080", "It has no host."),
    ("127.0.0.1:0", "Its port isn't a number from 1 to 65535."),
    ("127.0.0.1:99999", "Its port isn't a number from 1 to 65535."),
    ("127.0.0.1:+80", "Its port isn't a number from 1 to 65535."),
    ("http://127.0.0.1:80", "It is a URL."), ("::1:80", "Put an IPv6 address in brackets"),
    ("a b:80", "Its host is neither a name nor an IP address."),
  ])
  func whatIsNoAddressIsRefusedWithTheOptionsName(address: String, reason: String) async throws {
    try await withDevices { _, one, _ in
      let result = try await one.run("list", at: address, status: 64)
      #expect(result.errors.contains("'--emulator <host:port>': "), "\(result.errors)")
      #expect(result.errors.contains(reason), "\(result.errors)")
      #expect(result.errors.contains("for example 127.0.0.1:8080"))
      #expect(!FileManager.default.fileExists(atPath: one.data.path))
    }
  }
}
