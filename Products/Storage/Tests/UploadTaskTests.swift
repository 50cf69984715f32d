import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonStorage

/// Tasks that are paused, cancelled and continued, over real connections.
@Suite(.limited) struct UploadTaskTests {
  private static let chunk = 1 << 18
  private static let content = UploadServer.content(2 * chunk + 1_000)

  /// A task that the server's thread pauses or cancels when a request arrives.
  private final class Remote: Sendable {
    let task = Lock<StorageUploadTask?>(nil)
    let (events, continuation) = AsyncStream.makeStream(of: Void.self)
    let isSet = ThreadGate()

    /// Waits until there is a task, calls a function of it, and tells the test.
    func act(_ action: (StorageUploadTask) -> Void) {
      isSet.pass()
      if let task = task.withLock({ $0 }) { action(task) }
      continuation.yield()
    }

    func set(_ task: StorageUploadTask) {
      self.task.withLock { $0 = task }
      isSet.open()
    }

    func event() async { for await _ in events { return } }
  }

  @Test(arguments: 0..<4)
  func pausedUploadContinuesWithWhatTheServerHas(stage: Int) async throws {
    let remote = Remote()
    let server = try UploadServer { index, _ in
      guard index == stage else { return .none }
      remote.act { $0.pause() }
      return .held
    }
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    remote.set(upload)
    await remote.event()
    #expect(upload.snapshot.status == .pause)
    // The server pauses the task before it processes the request, which it must have done before it is asked
    // what it has.
    try await eventually { server.state.processed == stage + 1 }
    upload.pause()
    upload.resume()
    #expect(try await upload.value.size == Int64(Self.content.count))
    upload.cancel()
    upload.pause()
    #expect(upload.snapshot.status == .success && upload.snapshot.metadata != nil)
    #expect(
      upload.snapshot.progress == OperationProgress(completedUnitCount: 525_288, totalUnitCount: 525_288))
    let state = server.state
    #expect(state.content == Self.content && state.isFinal)
    #expect(state.entries.map(\.count).reduce(0, +) == Self.content.count)
    #expect(server.commands.filter { $0 == "query" }.count == (stage == 0 ? 0 : 1))
  }

  @Test(arguments: 0..<4, [false, true])
  func cancelledUploadEndsWithOneError(stage: Int, isPaused: Bool) async throws {
    let remote = Remote()
    let server = try UploadServer { index, _ in
      guard index == stage else { return .none }
      remote.act {
        if isPaused { $0.pause() }
        $0.cancel()
        $0.resume()
        $0.cancel()
      }
      return .held
    }
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    remote.set(upload)
    for _ in 0..<2 {
      let error = await #expect(throws: StorageError.self) { try await upload.value }
      #expect(error?.code == .cancelled)
    }
    #expect(upload.snapshot.status == .failure)
    #expect((upload.snapshot.error as? StorageError)?.code == .cancelled)
    #expect(server.commands.count == stage + 1)
    for await _ in upload.progress {}
  }

  @Test(arguments: 0..<4)
  func cancelledTaskOfAFunctionEndsTheUpload(stage: Int) async throws {
    let call = Lock<Task<StorageMetadata, any Error>?>(nil)
    let isSet = ThreadGate()
    let server = try UploadServer { index, _ in
      guard index == stage else { return .none }
      isSet.pass()
      call.withLock { $0 }?.cancel()
      return .held
    }
    defer { server.stop() }
    let object = try server.object()
    let task = Task { () -> StorageMetadata in try await object.putDataAsync(Self.content) }
    call.withLock { $0 = task }
    isSet.open()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.commands.count == stage + 1)
  }

  @Test func uploadThatIsPausedBetweenAttemptsWaits() async throws {
    let time = TestTime()
    let server = try UploadServer { index, _ in index == 1 ? .answer(503, [:]) : .none }
    defer { server.stop() }
    let upload = try server.object(time: time).putData(Self.content)
    var waits = time.waits.makeAsyncIterator()
    while let wait = await waits.next(), wait != 1 {}
    upload.pause()
    upload.resume()
    #expect(try await upload.value.size == Int64(Self.content.count))
    #expect(server.commands == ["start", "upload", "query", "upload", "upload", "upload, finalize"])
  }

  /// Little content is sent with one request, more with several. Two requests in a row fail, one before the
  /// pause and one after it.
  @Test(arguments: [(1_000, 0..<2), (content.count, 1..<3)])
  func theTimeOfAPauseCountsForNoLimit(size: Int, failing: Range<Int>) async throws {
    let time = TestTime()
    let server = try UploadServer { index, _ in failing.contains(index) ? .answer(503, [:]) : .none }
    defer { server.stop() }
    let isWaiting = Lock(false)
    let paused = AsyncStream.makeStream(of: Void.self)
    var source = time.source
    source.now = {
      // The next use of the clock after the upload has begun to wait for its next attempt is the beginning of
      // the pause.
      if isWaiting.withLock(\.self) { paused.continuation.yield() }
      return time.now
    }
    let object = try UploadServer.object(port: server.port, time: source)
    (object.storage.maxTransferTime, object.storage.maxUploadRetryTime) = (.seconds(60), .seconds(60))
    let upload = object.putData(Data(Self.content.prefix(size)))
    var waits = time.waits.makeAsyncIterator()
    while let wait = await waits.next(), wait != 1 {}
    isWaiting.withLock { $0 = true }
    upload.pause()
    for await _ in paused.stream { break }
    time.advance(by: 1_000)
    upload.resume()
    while let wait = await waits.next(), wait != 2 {}
    time.advance(by: 2)
    #expect(try await upload.value.size == Int64(size))
  }

  @Test func progressGrowsInStepsAndEndsWithTheUpload() async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let upload = try server.object().putData(Self.content)
    var last: Int64 = -1
    for await progress in upload.progress {
      #expect(progress.completedUnitCount > last && progress.totalUnitCount == 525_288)
      last = progress.completedUnitCount
    }
    #expect(last == 525_288)
    _ = try await upload.value
    // A stream that comes later has the last value only.
    for await progress in upload.progress { Issue.record("\(progress)") }
  }

  @Test func progressIsReportedAtLeastEvery256KiB() async throws {
    let server = try UploadServer()
    defer { server.stop() }
    let steps = Lock<[Int64]>([])
    let object = try server.object()
    object.storage.uploadChunkSizeBytes = 8 << 20
    try await object.putDataAsync(UploadServer.content(2 << 20)) { step in
      steps.withLock { $0.append(step.completedUnitCount) }
    }
    let values = [0] + steps.withLock { $0 }
    #expect(zip(values, values.dropFirst()).allSatisfy { 0 < $1 - $0 && $1 - $0 <= 2 << 18 }, "\(values)")
    #expect(values.last == 2 << 20)
  }

  // MARK: - After the end of the process

  /// Uploads a file until a request arrives, as a process that ends there, and returns the newest token as it
  /// was stored.
  private func interrupted(
    _ server: UploadServer, _ remote: Remote, _ file: URL
  ) async throws -> Data {
    let upload = try server.object().putFile(from: file)
    remote.set(upload)
    await #expect(throws: StorageError.self) { try await upload.value }
    return try JSONEncoder().encode(#require(upload.resumeToken))
  }

  @Test(arguments: 1..<4, [false, true])
  func anotherProcessContinuesWithTheStoredToken(stage: Int, isStored: Bool) async throws {
    try await UploadServer.withFile(Self.content) { file in
      let remote = Remote()
      let server = try UploadServer { index, _ in
        guard index == stage else { return .none }
        remote.act { $0.cancel() }
        return isStored ? .responseLost : .requestLost
      }
      defer { server.stop() }
      let stored = try await interrupted(server, remote, file)
      // The request that was cancelled may not have been processed yet.
      try await eventually {
        !isStored || server.state.content.count >= server.state.entries.map(\.count).reduce(0, +)
      }
      // Nothing is left of the first instance but the token.
      let token = try JSONDecoder().decode(StorageUploadToken.self, from: stored)
      #expect(token.bucket == "b.c" && token.path == "a" && token.size == 525_288)
      let object = try server.object()
      #expect(try await object.resumeUpload(token, from: file).value.size == 525_288)
      let state = server.state
      #expect(state.content == Self.content && state.isFinal && state.sessions == 1)
      let repeated = isStored ? 0 : state.entries[stage].count
      #expect(state.entries.map(\.count).reduce(0, +) == Self.content.count + repeated)
      // The upload is complete now, which the token leads to, too.
      #expect(try await object.resumeUploadAsync(token, from: file).size == 525_288)
    }
  }

  @Test func firstTokenIsOfferedAsSoonAsTheUploadHasBegun() async throws {
    try await UploadServer.withFile(Self.content) { file in
      let server = try UploadServer { index, _ in index == 1 ? .held : .none }
      defer { server.stop() }
      let upload = try server.object().putFile(from: file)
      var tokens = upload.resumeTokens.makeAsyncIterator()
      let token = try #require(await tokens.next())
      #expect(server.state.content.count <= Self.chunk && token == upload.resumeToken)
      for text in disclosedTexts(of: token) { #expect(!text.contains("upload_id"), "\(text)") }
      upload.cancel()
      while await tokens.next() != nil {}
    }
  }

  @Test func tokenOfAnotherObjectOrFileOrServerIsRefusedBeforeAnythingIsSent() async throws {
    try await UploadServer.withFile(Self.content) { file in
      let remote = Remote()
      let server = try UploadServer { index, _ in
        if index == 2 { remote.act { $0.cancel() } }
        return index == 2 ? .requestLost : .none
      }
      defer { server.stop() }
      let stored = try await interrupted(server, remote, file)
      let count = server.commands.count
      /// Returns the code of the error of continuing with a changed token.
      func refusal(_ object: StorageReference, _ old: String = "", _ new: String = "") async throws
        -> StorageError.Code?
      {
        let text = String(decoding: stored, as: UTF8.self).replacingOccurrences(of: "\\/", with: "/")
        #expect(old.isEmpty || text.contains(old), "\(text)")
        let token = try JSONDecoder().decode(
          StorageUploadToken.self, from: Data(text.replacingOccurrences(of: old, with: new).utf8))
        let error = await #expect(throws: StorageError.self) {
          try await object.resumeUploadAsync(token, from: file)
        }
        return error?.code
      }
      let object = try server.object()
      #expect(try await refusal(object.root().child("other")) == .invalidArgument)
      #expect(try await refusal(object, #""bucket":"b.c""#, #""bucket":"d.e""#) == .invalidArgument)
      #expect(try await refusal(object, "http://127.0.0.1", "http://upload.invalid") == .untrustedOrigin)
      #expect(try await refusal(object, "http://127.0.0.1:", "file://") == .untrustedOrigin)
      #expect(try await refusal(object, #""size":525288"#, #""size":525289"#) == .fileError)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file.path)
      #expect(try await refusal(object) == .fileError)
      #expect(server.commands.count == count)
    }
  }

  @Test func tokenOfAnUploadThatTheServerForgotStartsItAgain() async throws {
    try await UploadServer.withFile(Self.content) { file in
      let remote = Remote()
      let server = try UploadServer { index, command in
        if index == 2 { remote.act { $0.cancel() } }
        return index == 2 ? .requestLost : command == "query" ? .answer(404, [:]) : .none
      }
      defer { server.stop() }
      let token = try JSONDecoder().decode(
        StorageUploadToken.self, from: try await interrupted(server, remote, file))
      let object = try server.object()
      let stored = try await object.resumeUploadAsync(token, from: file)
      #expect(stored.size == Int64(Self.content.count) && server.state.content == Self.content)
    }
  }

  @Test(arguments: [
    ("\"version\":1", "\"version\":2"), ("\"size\":525288", "\"size\":-1"), ("\"size\":525288", "\"size\":1"),
    ("\"chunkSize\":262144", "\"chunkSize\":0"),
    ("\"chunkSize\":262144", "\"chunkSize\":9223372036854775807"),
    ("\"chunkSize\":262144", "\"chunkSize\":-262144"), ("\"size\":262144", "\"size\":-1"),
  ])
  func impossibleTokenIsNotDecoded(old: String, new: String) async throws {
    try await UploadServer.withFile(Self.content) { file in
      let remote = Remote()
      let server = try UploadServer { index, _ in
        if index == 2 { remote.act { $0.cancel() } }
        return index == 2 ? .requestLost : .none
      }
      defer { server.stop() }
      let text = String(decoding: try await interrupted(server, remote, file), as: UTF8.self)
      #expect(text.contains(old), "\(text)")
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(
          StorageUploadToken.self, from: Data(text.replacingOccurrences(of: old, with: new).utf8))
      }
    }
  }
}
