import Foundation
import TenonCore
import TenonProcesses
import TenonSQLite
import TenonTestSupport
import TenonTesting
import Testing

@testable import tenon

@Suite(.limited) struct DoctorTests {
  @Test(
    arguments: [
      ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", Diagnosis.Status.ok),
      ("Apple Swift version 7.0-dev", .ok),
      ("Swift version 6.2.4", .problem), ("Swift version 5.10", .problem), ("nonsense", .warning),
      (nil, .problem),
    ] as [(String?, Diagnosis.Status)])
  func anOldToolchainIsAProblem(version: String?, expected: Diagnosis.Status) {
    let result = SwiftCheck.result { version }
    #expect(result.status == expected && (result.fix == nil) == (expected == .ok))
  }

  #if os(Linux)
    @Test func missingPackagesAreNamedWithTheCommandThatInstallsThem() {
      let results = SystemPackagesCheck.results { path in
        path == "/usr/bin/apt-get" || path == "/usr/include/crypt.h"
      }
      #expect(results.map(\.status) == [.problem, .ok, .problem])
      #expect(
        results.compactMap(\.fix) == ["sudo apt-get install libsqlite3-dev", "sudo apt-get install libcurl4"])
    }
  #endif

  @Test(
    arguments: [
      ("{\"projectID\": \"demo\"}", [:], Diagnosis.Status.ok),
      ("{\"projectID\": \"Bad Project\"}", [:], .problem),
      ("{", [:], .problem), (nil, [:], .warning), (nil, ["TENON_PROJECT_ID": "demo"], .ok),
    ] as [(String?, [String: String], Diagnosis.Status)])
  func theOptionsOfTheFolderAreRead(file: String?, environment: [String: String], expected: Diagnosis.Status)
    throws
  {
    let root = try LintFixture.folder(
      ["README.md": ""].merging(file.map { ["tenon.json": $0] } ?? [:]) { $1 })
    defer { try? FileManager.default.removeItem(at: root) }
    let found = OptionsCheck.discovered(in: root.path, environment: environment)
    #expect(found.result.status == expected && (found.options != nil) == (expected == .ok), "\(found.result)")
  }

  @Test func aMistakeInTheOptionsHasTheRepairsOfItsErrorOnly() throws {
    let root = try LintFixture.folder(["tenon.json": "{\"projectID\": \"demo\", \"bakend\": \"embedded\"}"])
    defer { try? FileManager.default.removeItem(at: root) }
    let result = OptionsCheck.discovered(in: root.path, environment: [:]).result
    #expect(result.message.contains("Did you mean \"backend\"?") && result.fix == nil, "\(result)")
  }

  @Test func anEmulatorThatDoesNotListenIsAProblemWithItsCommand() async throws {
    // Port 1 (tcpmux) isn't in use on machines of developers.
    let options = try #require(
      OptionsCheck.discovered(
        in: "/nonexistent",
        environment: ["TENON_PROJECT_ID": "demo", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1"]
      ).options)
    let results = await ServersCheck.results(for: options)
    #expect(results.map(\.status) == [.problem] && results.first?.check == "Firestore emulator")
    #expect(results.first?.fix == "firebase emulators:start --only firestore")
  }

  @Test(arguments: ["200 OK", "404 Not Found", "503 Service Unavailable"])
  func anEmulatorThatRespondsIsReachableWhateverItsStatus(status: String) async throws {
    let server = try Self.server(status: status)
    defer { server.stop() }
    let results = await ServersCheck.results(for: try Self.options(server))
    #expect(results == [.ok("Firestore emulator", "\(server.url("/")) responds")])
  }

  @Test func anEmulatorThatNeverAnswersEndsAtTheDeadline() async throws {
    let server = try RawServer { $0.drain() }
    defer { server.stop() }
    let options = try Self.options(server)
    let results = await ServersCheck.results(for: options, deadline: .milliseconds(300))
    let message = try #require(results.first?.message)
    #expect(results.map(\.status) == [.problem])
    #expect(message.hasPrefix("\(server.url("/")) doesn't respond: "), "\(message)")
    #expect(message.contains("didn't answer in time"), "\(message)")
  }

  /// Each emulator answers when all four have been asked.
  @Test func emulatorsAreAskedAtOnce() async throws {
    let meeting = Meeting(of: 4)
    let servers = try (0..<4).map { _ in try Self.server { meeting.wait() } }
    defer { for server in servers { server.stop() } }
    let deadline = Duration.seconds(20) * MachineLoad.patience
    let results = await ServersCheck.results(for: try Self.options(servers), deadline: deadline)
    #expect(results.map(\.status) == [.ok, .ok, .ok, .ok], "\(results)")
  }

  @Test func resultsAreInTheOrderOfTheEmulatorsWhicheverAnswersFirst() async throws {
    let silent = try RawServer { $0.drain() }
    let quick = try Self.server()
    defer { for server in [silent, quick] { server.stop() } }
    let options = try Self.options([silent, quick, silent, quick])
    let results = await ServersCheck.results(for: options, deadline: .milliseconds(300))
    #expect(results.map(\.check) == ["Auth", "Functions", "Storage", "Firestore"].map { "\($0) emulator" })
  }

  /// Returns a server that answers the first request of each connection without a body.
  ///
  /// - Parameter prepare: called before the answer.
  private static func server(
    status: String = "200 OK", _ prepare: @escaping @Sendable () -> Void = {}
  ) throws -> RawServer {
    try RawServer { connection in
      guard connection.readHead() != nil else { return }
      prepare()
      connection.write("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
    }
  }

  private static func options(_ firestore: RawServer) throws -> AppOptions {
    try options(["FIRESTORE_EMULATOR_HOST": "127.0.0.1:\(firestore.port)"])
  }

  /// - Parameter servers: the emulators of Auth, Functions, Storage and Firestore.
  private static func options(_ servers: [RawServer]) throws -> AppOptions {
    let names = ["FIREBASE_AUTH", "FUNCTIONS", "FIREBASE_STORAGE", "FIRESTORE"].map { "\($0)_EMULATOR_HOST" }
    return try options(Dictionary(uniqueKeysWithValues: zip(names, servers.map { "127.0.0.1:\($0.port)" })))
  }

  private static func options(_ environment: [String: String]) throws -> AppOptions {
    try #require(
      OptionsCheck.discovered(
        in: "/nonexistent", environment: environment.merging(["TENON_PROJECT_ID": "demo"]) { $1 }
      ).options)
  }

  @Test func theOldestToolchainIsThatOfTheManifestAndOfTheReadme() throws {
    func text(_ name: String) throws -> String {
      try String(contentsOf: LintFixture.packageRoot.appending(path: name), encoding: .utf8)
    }
    let version = "\(SwiftCheck.oldest.major).\(SwiftCheck.oldest.minor)"
    #expect(try text("Package.swift").hasPrefix("// swift-tools-version: \(version)\n"))
    #expect(try text("README.md").contains("| Linux x86_64, Swift \(version) |"))
  }

  @Test func aDamagedDatabaseIsFoundAndNoFileChanges() throws {
    let root = try LintFixture.folder(["a/README.md": ""])
    defer { try? FileManager.default.removeItem(at: root) }
    for name in ["sound", "damaged", "short"] {
      let connection = try Connection.open(root.appending(path: "a/\(name).sqlite").path)
      try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))")
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    // What a process leaves that was killed: changes in the log, which opening the database would move into
    // the file.
    let open = try Connection.open(root.appending(path: "a/open.sqlite").path)
    try open.execute("CREATE TABLE t (x)")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: root.appending(path: "a/open.sqlite\(suffix)").path,
        toPath: root.appending(path: "a/left.sqlite\(suffix)").path)
    }
    var data = try Data(contentsOf: root.appending(path: "a/damaged.sqlite"))
    data[data.count - 2_000] ^= 1
    try data.write(to: root.appending(path: "a/damaged.sqlite"))
    try Data("no database, but text".utf8).write(to: root.appending(path: "a/short.sqlite"))

    func content() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "a").path)
      return try Dictionary(
        uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: root.appending(path: "a/\($0)"))) })
    }
    let before = try content()
    let results = DatabasesCheck.results(in: root)
    #expect(results.map(\.status) == [.problem, .ok, .ok, .problem, .ok], "\(results)")
    #expect(results[0].message.contains("damaged.sqlite is damaged"))
    #expect(try content() == before)
    try open.execute("DROP TABLE t")
  }

  @Test func anEncryptedDatabaseIsNotTakenForADamagedOne() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-doctor-\(UUID())")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let connection = try Connection.open(
      root.appending(path: "encrypted.sqlite").path, disk: nil, key: DatabaseKey(0..<32))
    try connection.execute("CREATE TABLE t (x)")
    let results = DatabasesCheck.results(in: root)
    #expect(results.map(\.status) == [.warning] && results[0].message.contains("encrypted"), "\(results)")
    try connection.execute("DROP TABLE t")
  }

  /// Without the record of how far the log is valid, a changed byte would look like its end.
  @Test func aChangedLogIsReportedWithARepairThatMovesTheLogToo() throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-doctor-test's-\(UUID())")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let open = try Connection.open(root.appending(path: "open.sqlite").path)
    try open.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(50000))")
    for suffix in ["", "-wal", "-walmark"] {
      try FileManager.default.copyItem(
        atPath: root.appending(path: "open.sqlite\(suffix)").path,
        toPath: root.appending(path: "changed.sqlite\(suffix)").path)
    }
    let log = root.appending(path: "changed.sqlite-wal")
    var data = try Data(contentsOf: log)
    data[data.count / 2] ^= 1
    try data.write(to: log)

    let results = DatabasesCheck.results(in: root)
    #expect(results.map(\.status) == [.problem, .ok], "\(results)")
    // The repair is a command that a shell can run, also in a folder with a quotation mark.
    let fix = try #require(results[0].fix)
    let command = try #require(fix.firstRange(of: "for f in"))
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", String(fix[command.lowerBound...])]
    try process.start()
    process.waitUntilExit()
    let left = try FileManager.default.contentsOfDirectory(atPath: root.path).filter {
      $0.hasPrefix("changed")
    }
    #expect(
      left.sorted() == ["", "-wal", "-walmark"].map { "changed.sqlite\($0).damaged" }.sorted())
    try open.execute("DROP TABLE t")
  }

  @Test func foldersWithoutDatabasesAreNamed() throws {
    #expect(DatabasesCheck.results(in: URL(filePath: "/nonexistent")).map(\.status) == [.problem])
    let root = try LintFixture.folder(["README.md": ""])
    defer { try? FileManager.default.removeItem(at: root) }
    #expect(DatabasesCheck.results(in: root).map(\.status) == [.warning])
  }

  @Test func resultsAreTextOrJSON() throws {
    let results = [Diagnosis.ok("Swift", "6.3"), .problem("Backend", "is gone", fix: "curl")]
    #expect(
      try DoctorCommand.render(results, asJSON: false)
        == "ok: Swift: 6.3\nproblem: Backend: is gone\n  - curl\ntenon doctor: 1 problem")
    let json = try DoctorCommand.render(results, asJSON: true)
    #expect(try JSONDecoder().decode([Diagnosis].self, from: Data(json.utf8)) == results)
  }
}
