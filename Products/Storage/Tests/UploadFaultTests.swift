import Foundation
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// Uploads over real connections, of which something goes wrong with one request or more.
@Suite(.limited) struct UploadFaultTests {
  private typealias Trouble = UploadServer.Trouble
  private static let chunk = 1 << 18
  /// Three chunks, of which the last is short.
  private static let content = UploadServer.content(2 * chunk + 1_000)
  private static let normal = ["start", "upload", "upload", "upload, finalize"]

  @Test(
    arguments: 0..<4,
    [
      UploadServer.Trouble.requestLost, .responseLost, .responseCut, .answer(408, [:]), .answer(429, [:]),
      .answer(500, [:]), .answer(503, ["Retry-After": "3"]),
    ])
  func everyByteIsStoredOnceWhicheverRequestFails(stage: Int, trouble: UploadServer.Trouble) async throws {
    let server = try UploadServer { index, _ in index == stage ? trouble : .none }
    defer { server.stop() }
    let progress = Lock<[Int64]>([])
    try await UploadServer.withFile(Self.content) { file in
      let stored = try await server.object().putFileAsync(from: file) { step in
        progress.withLock { $0.append(step.completedUnitCount) }
      }
      #expect(stored.size == Int64(Self.content.count))
    }
    let state = server.state
    #expect(state.content == Self.content && state.isFinal)
    let isStored = trouble == .responseLost || trouble == .responseCut
    var expected = Self.normal
    if stage == 0 {
      expected.insert("start", at: 0)
    } else if !isStored {
      expected.insert(contentsOf: ["query", Self.normal[stage]], at: stage + 1)
    } else {
      expected.insert("query", at: stage + 1)
      if stage == 3 { expected.append("metadata") }
    }
    #expect(server.commands == expected)
    // A chunk is sent twice only if the server didn't store it.
    let sent = state.entries.map(\.count).reduce(0, +)
    let repeated = stage == 0 || isStored ? 0 : state.entries[stage].count
    #expect(sent == Self.content.count + repeated)
    let steps = progress.withLock { $0 }
    #expect(steps == steps.sorted() && Set(steps).count == steps.count)
    #expect(steps.last == Int64(Self.content.count))
  }

  @Test(arguments: [UploadServer.Trouble.requestLost, .responseCut, .answer(503, [:])])
  func queryThatFailsIsRepeated(trouble: UploadServer.Trouble) async throws {
    let server = try UploadServer { index, _ in
      index == 2 ? .responseLost : index == 3 || index == 4 ? trouble : .none
    }
    defer { server.stop() }
    try await server.object().putDataAsync(Self.content)
    #expect(server.commands == ["start", "upload", "upload", "query", "query", "query", "upload, finalize"])
    #expect(server.state.content == Self.content)
  }

  @Test(arguments: [UploadServer.Trouble.requestLost, .responseLost, .responseCut, .answer(502, [:])])
  func smallContentIsSentAgainInOneRequest(trouble: UploadServer.Trouble) async throws {
    let server = try UploadServer { index, _ in index < 2 ? trouble : .none }
    defer { server.stop() }
    let content = UploadServer.content(Upload.largestSingleRequest)
    #expect(try await server.object().putDataAsync(content).size == Int64(content.count))
    #expect(server.commands == ["multipart", "multipart", "multipart"])
    #expect(server.state.content == content)
  }

  @Test(arguments: 0..<4, [400, 401, 402, 403, 412])
  func refusalIsFinalAtEveryStage(stage: Int, status: Int) async throws {
    let server = try UploadServer { index, _ in index == stage ? .answer(status, [:]) : .none }
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) { try await object.putDataAsync(Self.content) }
    let codes: [Int: StorageError.Code] = [
      401: .unauthenticated, 402: .quotaExceeded, 403: .unauthorized, 412: .preconditionFailed,
    ]
    #expect(error?.code == codes[status] ?? .unknown)
    #expect(server.commands == Array(Self.normal.prefix(stage + 1)) && !server.state.isFinal)
  }

  @Test(arguments: 1..<4, [404, 410])
  func anUploadThatTheServerForgotIsStartedAgain(stage: Int, status: Int) async throws {
    for command in ["upload", "query"] {
      let server = try UploadServer { index, name in
        if index == stage { return command == "query" ? .requestLost : .answer(status, [:]) }
        return name == "query" ? .answer(status, [:]) : .none
      }
      defer { server.stop() }
      let object = try server.object()
      #expect(try await object.putDataAsync(Self.content).size == Int64(Self.content.count))
      #expect(server.state.content == Self.content && server.state.sessions == 2)
      try await UploadServer.withFile(Self.content) { _ = try await object.putFileAsync(from: $0) }
      #expect(server.state.content == Self.content && server.state.isFinal)
    }
  }

  @Test func anUploadThatTheServerForgetsAgainAndAgainIsAnErrorThatSaysSo() async throws {
    let server = try UploadServer { _, name in name == "upload" ? .answer(410, [:]) : .none }
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) { try await object.putDataAsync(Self.content) }
    #expect(error?.code == .sessionExpired && error?.message.contains("Start it again") == true)
    #expect(server.state.sessions == 1 + ResumableUpload.mostRestarts)
  }

  /// What the stream has produced is gone.
  @Test func aStreamWhoseUploadTheServerForgotIsAnErrorThatSaysSo() async throws {
    let server = try UploadServer { index, _ in index == 2 ? .answer(404, [:]) : .none }
    defer { server.stop() }
    let object = try server.object()
    let (content, pieces) = AsyncStream<Data>.makeStream()
    pieces.yield(Self.content)
    pieces.finish()
    let error = await #expect(throws: StorageError.self) { try await object.putStreamAsync(content) }
    #expect(error?.code == .sessionExpired && server.state.sessions == 1)
  }

  /// The server is right about the position, and the client continues there.
  @Test func wrongPositionIsCorrectedByAQuery() async throws {
    let server = try UploadServer { index, _ in
      index == 2 ? .answer(400, ["X-Goog-Upload-Status": "active"]) : .none
    }
    defer { server.stop() }
    try await server.object().putDataAsync(Self.content)
    #expect(server.commands == ["start", "upload", "upload", "query", "upload", "upload, finalize"])
    #expect(server.state.content == Self.content)
  }

  @Test func endlessContradictionsAreAnError() async throws {
    let server = try UploadServer { index, name in
      name == "upload" ? .answer(400, ["X-Goog-Upload-Status": "active"]) : .none
    }
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) { try await object.putDataAsync(Self.content) }
    #expect(error?.code == .unknown && server.commands.filter { $0 == "upload" }.count == 3)
  }

  @Test(arguments: [("3", [3.0]), ("0", [1]), ("100", [100])])
  func retryAfterIsHonoured(field: String, waits expected: [Double]) async throws {
    let time = TestTime(advancesItself: true)
    let server = try UploadServer { index, _ in index == 0 ? .answer(503, ["Retry-After": field]) : .none }
    defer { server.stop() }
    try await server.object(time: time).putDataAsync(Data("x".utf8))
    var waits = time.waits.makeAsyncIterator()
    for seconds in expected { #expect(await waits.next() == seconds) }
  }

  @Test(arguments: [(10, ["multipart"]), (1 << 19, ["start"])])
  func serverThatStaysBusyEndsTheUploadAfterTheTimeLimit(size: Int, commands: [String]) async throws {
    let server = try UploadServer { _, _ in .answer(503, [:]) }
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) {
      try await object.putDataAsync(UploadServer.content(size))
    }
    #expect(error?.code == .retryLimitExceeded)
    #expect(error?.message.hasSuffix("The limit is Storage.maxUploadRetryTime.") == true)
    #expect((error?.underlying as? StorageError)?.code == .unavailable)
    // 1, 2, 4, …, 64 seconds and then 64 each, until 600 seconds have passed.
    #expect(server.commands == Array(repeating: commands, count: 15).flatMap(\.self))
  }

  @Test func retryAfterBeyondTheTimeLimitEndsTheUploadAtOnce() async throws {
    let server = try UploadServer { _, _ in .answer(503, ["Retry-After": "601"]) }
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) { try await object.putDataAsync(Data("x".utf8)) }
    #expect(error?.code == .retryLimitExceeded && server.commands == ["multipart"])
  }

  // MARK: - What the server has stored

  @Test(
    arguments: [10, 1 << 19],
    [
      ("size", "9"), ("md5Hash", "1B2M2Y8AsgTpgAmY7PhCfg=="), ("crc32c", "AAAAAA=="), ("crc32c", "12345"),
      ("crc32c", "nonsense"),
    ])
  func otherContentOnTheServerIsAnError(size: Int, change: (name: String, value: String)) async throws {
    let server = try UploadServer(describe: { $0[change.name] = .string(change.value) })
    defer { server.stop() }
    let object = try server.object()
    let error = await #expect(throws: StorageError.self) {
      try await object.putDataAsync(UploadServer.content(size))
    }
    #expect(error?.code == .nonMatchingChecksum)
    #expect(error?.message.contains(change.value.debugDescription) == true, "\(error?.message ?? "")")
  }

  /// Cloud Storage reports both checksums, the emulator the CRC as a number, and composed objects have no
  /// MD5.
  @Test(arguments: [0, 10, 1 << 19])
  func checksumsThatTheServerReportsAreAcceptedInBothForms(size: Int) async throws {
    let content = UploadServer.content(size)
    for form in ["both", "decimal", "no MD5", "none"] {
      let server = try UploadServer(describe: { members in
        if form == "decimal", let data = members["crc32c"]?.string.flatMap({ Data(base64Encoded: $0) }) {
          members["crc32c"] = .string("\(data.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })")
        }
        if form != "both" { members["md5Hash"] = form == "decimal" ? members["md5Hash"] : nil }
        if form == "none" { members["crc32c"] = nil }
      })
      defer { server.stop() }
      #expect(try await server.object().putDataAsync(content).size == Int64(size), "\(form)")
    }
  }

  // MARK: - Files that change

  enum Change: CaseIterable, Sendable { case shrinks, grows, isRewritten, vanishes }

  @Test(arguments: Change.allCases)
  func fileThatChangesDuringTheUploadIsAnErrorOrUploadedAsItWas(change: Change) async throws {
    try await UploadServer.withFile(Self.content) { file in
      let server = try UploadServer { index, _ in
        guard index == 1, let handle = try? FileHandle(forWritingTo: file) else { return .none }
        switch change {
        case .shrinks: try? handle.truncate(atOffset: 300_000)
        case .grows:
          _ = try? handle.seekToEnd()
          try? handle.write(contentsOf: Data("more".utf8))
        case .isRewritten:
          try? handle.write(contentsOf: Data(count: Self.content.count))
          try? FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file.path)
        case .vanishes: try? FileManager.default.removeItem(at: file)
        }
        return .none
      }
      defer { server.stop() }
      let object = try server.object()
      if change == .vanishes {
        #expect(try await object.putFileAsync(from: file).size == Int64(Self.content.count))
        #expect(server.state.content == Self.content)
      } else {
        let error = await #expect(throws: StorageError.self) { try await object.putFileAsync(from: file) }
        #expect(error?.code == .fileError && error?.message.contains("changed") == true)
        #expect(!server.state.isFinal)
      }
    }
  }
}
