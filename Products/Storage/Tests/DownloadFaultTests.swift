#if !os(Windows)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTesting
  import Testing

  @testable import TenonStorage

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Downloads over real connections that fail: the content is correct, or there is a clear error; the file
  /// of the user is replaced as a whole or remains, and nothing remains beside it.
  @Suite(.limited) struct DownloadFaultTests {
    typealias Trouble = DownloadServer.Trouble

    /// A way to download the object.
    enum Form: String, CaseIterable, Sendable {
      case data, write, stream

      /// Downloads the object, and returns its content.
      func run(_ object: StorageReference, _ target: URL) async throws -> Data {
        switch self {
        case .data: return try await object.data()
        case .write: return try Data(contentsOf: await object.writeAsync(toFile: target))
        case .stream:
          var content = Data()
          for try await chunk in object.stream() { content += chunk }
          return content
        }
      }
    }

    private static let old = Data("old".utf8)

    private static func content(_ size: Int) -> Data {
      var random = SeededGenerator(seed: TestSeeds.first)
      var content = Data(capacity: size + 8)
      while content.count < size {
        var word = random.next()
        withUnsafeBytes(of: &word) { content.append(contentsOf: $0) }
      }
      return content.prefix(size)
    }

    /// Runs a download, and checks what it leaves.
    private func check(
      _ form: Form, _ troubles: [Trouble], size: Int = 700_000,
      _ body: (_ server: DownloadServer, _ result: Result<Data, any Error>) throws -> Void
    ) async throws {
      try await withNewDirectory { directory in
        let target = directory.appending(path: "target")
        try Self.old.write(to: target)
        let server = try DownloadServer(Self.content(size), troubles)
        defer { server.stop() }
        let result: Result<Data, any Error>
        do { result = .success(try await form.run(server.object(), target)) } catch {
          result = .failure(error)
        }
        try body(server, result)
        #expect(try files(in: directory) == ["target"])
        let isReplaced = form == .write && (try? result.get()) != nil
        #expect(try Data(contentsOf: target) == (isReplaced ? server.content : Self.old))
      }
    }

    @Test(
      arguments: DeepTests.few(1, of: Form.allCases),
      [
        [Trouble.noResponse], [.noResponse, .noResponse, .noResponse], [.cutHead(0)], [.cutHead(1)],
        [.cutHead(9)],
        [.cutHead(16)], [.cutHead(40)], [.cutHead(80)], [.cutBody(0)], [.cutBody(1)], [.cutBody(65_535)],
        [.cutBody(65_536)], [.cutBody(262_144)], [.cutBody(699_999)],
        [.cutBody(100_000), .noResponse, .cutBody(100_000), .cutHead(20), .cutBody(499_999)],
        [.status(408)], [.status(429)], [.status(500)], [.status(502), .status(503), .status(504)],
        [.retryAfter(503, 30)], [.cutBody(300_000), .retryAfter(429, 2)], [.cutBody(300_000), .ignoresRange],
      ])
    func aDownloadThatBreaksIsContinued(form: Form, troubles: [Trouble]) async throws {
      try await check(form, troubles) { server, result in
        let content = try result.get()
        #expect(content == server.content)
      }
    }

    @Test(arguments: Form.allCases)
    func onlyTheMissingBytesAreRequested(form: Form) async throws {
      try await check(form, [.cutBody(300_000), .cutBody(200_000)]) { server, result in
        let content = try result.get()
        #expect(content == server.content)
        #expect(server.ranges == [nil, "bytes=300000-", "bytes=500000-"])
      }
    }

    @Test(arguments: [Form.data, .write])
    func anObjectThatIsReplacedMeanwhileIsDownloadedFromItsBeginning(form: Form) async throws {
      for troubles: [Trouble] in [[.replaced(300_000)], [.replaced(1), .cutBody(9), .replaced(5)]] {
        try await check(form, troubles) { server, result in
          let content = try result.get()
          #expect(content == server.content)
        }
      }
    }

    /// The byte that is missing doesn't exist, so the content is requested again.
    @Test(arguments: [Form.data, .write])
    func aStatedLengthThatIsTooLargeIsCorrectedByTheNextResponse(form: Form) async throws {
      try await check(form, [.tooLong]) { server, result in
        let content = try result.get()
        #expect(content == server.content)
      }
    }

    @Test func aReaderLearnsThatTheObjectWasReplaced() async throws {
      try await check(.stream, [.replaced(300_000)]) { _, result in
        let error = #expect(throws: StorageError.self) { try result.get() }
        #expect(error?.code == .unavailable && error?.message.contains("was replaced") == true)
      }
    }

    @Test(.deep, arguments: [Form.data, .write])
    func anObjectThatIsReplacedAllTheTimeEndsTheDownload(form: Form) async throws {
      try await check(form, Array(repeating: .replaced(300_000), count: 60)) { _, result in
        let error = #expect(throws: StorageError.self) { try result.get() }
        #expect(error?.code == .unavailable)
      }
    }

    @Test(
      arguments: DeepTests.few(1, of: Form.allCases),
      [
        ([Trouble.status(400)], "unknown"), ([.status(401)], "unauthenticated"),
        ([.status(402)], "quota-exceeded"),
        ([.status(403)], "unauthorized"), ([.status(404)], "object-not-found"),
        ([.cutBody(9), .status(404)], "object-not-found"), ([.cutBody(9), .status(403)], "unauthorized"),
        ([.damage], "non-matching-checksum"), ([.cutBody(9), .damage], "non-matching-checksum"),
        ([.tooShort], "non-matching-checksum"),
        ([.cutBody(10), .tooLong], "unknown"), ([.cutBody(10), .tooShort], "unknown"),
        ([.cutBody(9), .shiftsRange], "unknown"),
        ([.cutBody(9), .hidesRange], "unknown"), ([.retryAfter(503, 100_000)], "retry-limit-exceeded"),
        (Array(repeating: .noResponse, count: 60), "retry-limit-exceeded"),
        (Array(repeating: .status(503), count: 60), "retry-limit-exceeded"),
      ])
    func whatCannotBeRepairedIsAnErrorThatNamesTheObject(
      form: Form, fault: (troubles: [Trouble], code: String)
    ) async throws {
      try await check(form, fault.troubles) { server, result in
        let error = #expect(throws: StorageError.self) { try result.get() }
        #expect(error?.code.rawValue == fault.code, "\(error?.message ?? "")")
        #expect(error?.message.contains("gs://bucket/a") == true)
        if fault.code == "retry-limit-exceeded" {
          #expect(error?.message.contains("Storage.maxDownloadRetryTime") == true)
        }
      }
    }

    // MARK: - Pauses

    @Test func aPausedDownloadKeepsItsBytesAndContinuesFromThem() async throws {
      try await withNewDirectory { directory in
        let target = directory.appending(path: "target")
        let server = try DownloadServer(Self.content(3 << 20), [.stops(1 << 20)])
        defer { server.stop() }
        let task = try server.object().write(toFile: target)
        for await progress in task.progress where progress.completedUnitCount >= 512 << 10 { break }
        task.pause()
        #expect(task.snapshot.status == .pause)
        #expect(try files(in: directory) == [".target.download", ".target.download.json"])
        task.resume()
        #expect(try await task.value == target)
        #expect(try Data(contentsOf: target) == server.content && files(in: directory) == ["target"])
        let field = try #require(server.ranges.last ?? nil)
        let start = try #require(Int(field.dropFirst(6).dropLast()))
        #expect(server.ranges.count == 2 && start >= 512 << 10 && start <= 1 << 20)
        #expect(task.snapshot.status == .success && task.snapshot.progress.fractionCompleted == 1)
      }
    }

    @Test func aCancelledDownloadLeavesNothing() async throws {
      try await withNewDirectory { directory in
        for isPaused in [false, true] {
          let server = try DownloadServer(Self.content(3 << 20), [.stops(1 << 20)])
          defer { server.stop() }
          let task = try server.object().write(toFile: directory.appending(path: "target"))
          for await progress in task.progress where progress.completedUnitCount >= 512 << 10 { break }
          if isPaused { task.pause() }
          task.cancel()
          let error = await #expect(throws: StorageError.self) { try await task.value }
          #expect(error?.code == .cancelled)
          #expect(try files(in: directory) == [])
        }
      }
    }

    // MARK: - Processes

    /// A process that is killed in the middle of a download.
    private func killed(_ server: DownloadServer, _ target: URL) async {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [port = server.port as UInt16, path = target.path as String] in
        try await DownloadServer.object(port: port).writeAsync(toFile: URL(filePath: path)) {
          progress in
          if progress.completedUnitCount >= 2 << 20 { kill(getpid(), SIGKILL) }
        }
      }
    }

    @Test func theNextDownloadContinuesWhereAKilledProcessStopped() async throws {
      try await withNewDirectory { directory in
        let target = directory.appending(path: "target")
        try Self.old.write(to: target)
        let server = try DownloadServer(Self.content(5 << 20))
        defer { server.stop() }
        await killed(server, target)
        #expect(try Data(contentsOf: target) == Self.old)
        #expect(try files(in: directory) == [".target.download", ".target.download.json", "target"])
        try await server.object().writeAsync(toFile: target)
        #expect(try Data(contentsOf: target) == server.content && files(in: directory) == ["target"])
        let field = try #require(server.ranges.last ?? nil)
        let start = try #require(Int(field.dropFirst(6).dropLast()))
        #expect(server.ranges.count == 2 && start >= 2 << 20)
      }
    }

    /// The bytes of the killed process belong to another version, are damaged, or are described wrongly.
    @Test(
      arguments: DeepTests.few(
        3, of: ["replaced", "damaged", "malformed", "complete", "other object", "longer", "missing"]))
    func bytesThatDoNotBelongToTheObjectAreNotUsed(reason: String) async throws {
      try await withNewDirectory { directory in
        let target = directory.appending(path: "target")
        let server = try DownloadServer(Self.content(5 << 20))
        defer { server.stop() }
        await killed(server, target)
        let partial = directory.appending(path: ".target.download")
        let description = directory.appending(path: ".target.download.json")
        switch reason {
        case "replaced": server.replace(with: Self.content(5 << 20 | 7))
        case "complete":
          try server.content.write(to: partial)
          server.replace(with: Self.content(5 << 20 | 7))
        case "damaged":
          var bytes = try Data(contentsOf: partial)
          bytes[9] ^= 1
          try bytes.write(to: partial)
        case "other object":
          let text = try String(contentsOf: description, encoding: .utf8)
          try text.replacing(#""name":"a""#, with: #""name":"b""#).write(
            to: description, atomically: false, encoding: .utf8)
        case "malformed": try Data("[".utf8).write(to: description)
        case "longer": try Self.content(6 << 20).write(to: partial)
        default: try FileManager.default.removeItem(at: description)
        }
        do { try await server.object().writeAsync(toFile: target) } catch let error as StorageError {
          // Only the checksum reveals damaged bytes. The next download starts over.
          #expect(error.code == .nonMatchingChecksum && ["damaged", "longer"].contains(reason))
          #expect(try files(in: directory) == [])
          try await server.object().writeAsync(toFile: target)
        }
        // Without a description of this object, all bytes are requested.
        if ["other object", "malformed", "missing"].contains(reason) {
          #expect(server.ranges == [nil, nil])
        }
        #expect(try Data(contentsOf: target) == server.content && files(in: directory) == ["target"])
      }
    }

    /// The process can't write files beyond a certain size, as on a full disk.
    @Test(.enabled(if: Self.isLinux)) func aFileThatCannotGrowIsAnErrorAndLeavesNothing() async throws {
      try await withNewDirectory { directory in
        let target = directory.appending(path: "target")
        try Self.old.write(to: target)
        let server = try DownloadServer(Self.content(5 << 20))
        defer { server.stop() }
        await #expect(processExitsWith: .success) {
          [port = server.port as UInt16, path = target.path as String] in
          signal(SIGXFSZ, SIG_IGN)
          var limit = rlimit(rlim_cur: 2 << 20, rlim_max: 2 << 20)
          #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
          #endif
          let object = try DownloadServer.object(port: port)
          let error = await #expect(throws: StorageError.self) {
            try await object.writeAsync(toFile: URL(filePath: path))
          }
          #expect(error?.code == .fileError)
          #expect(error?.message == "The file \(path) can't be written: File too large.")
        }
        #expect(try files(in: directory) == ["target"] && Data(contentsOf: target) == Self.old)
      }
    }

    @Test func aDirectoryThatCannotBeWrittenIsAnErrorBeforeAnythingIsSent() async throws {
      try await withNewDirectory { directory in
        let server = try DownloadServer(Self.content(9))
        defer { server.stop() }
        let file = directory.appending(path: "file")
        try Self.old.write(to: file)
        for (target, reason) in [
          (file.appending(path: "target"), "Not a directory"),
          (directory.appending(path: "missing/target"), "No such file or directory"),
        ] {
          let error = await #expect(throws: StorageError.self) {
            try await server.object().writeAsync(toFile: target)
          }
          #expect(
            error?.code == .fileError && error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
        #expect(try server.ranges.isEmpty && files(in: directory) == ["file"])
      }
    }

    private static var isLinux: Bool {
      #if os(Linux)
        true
      #else
        false
      #endif
    }
  }
#endif
