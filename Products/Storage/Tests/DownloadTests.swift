import Foundation
import TenonFoundation
import TenonHashes
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// Downloads with responses that a test chooses. Those over real connections are tested by
/// `DownloadFaultTests`.
@Suite(.limited) struct DownloadTests {
  /// A way to download a whole object.
  enum Form: String, CaseIterable, Sendable {
    case data, write, stream

    /// Downloads the object, and returns its content.
    func run(_ object: StorageReference, _ directory: URL) async throws -> Data {
      switch self {
      case .data: return try await object.data()
      case .write:
        return try Data(contentsOf: await object.writeAsync(toFile: directory.appending(path: "target")))
      case .stream:
        var content = Data()
        for try await chunk in object.stream() { content += chunk }
        return content
      }
    }
  }

  private static let content = Data("tea for two".utf8)

  /// Returns an object whose downloads have a response, and whose metadata are others.
  private func object(
    _ download: TransportResponse, metadata: String = metadataText()
  ) throws -> (object: StorageReference, transport: FakeTransport) {
    let transport = FakeTransport { request in
      request.url.query()?.contains("alt=media") == true
        ? download : TransportResponse(status: 200, body: Data(metadata.utf8))
    }
    return (try bucket(transport).reference(withPath: "a"), transport)
  }

  private static var crc: UInt32 {
    var crc = CRC32C()
    crc.update(content)
    return crc.value
  }

  @Test(arguments: Form.allCases)
  func contentWithTheReportedChecksumsIsAccepted(form: Form) async throws {
    let hashes = hashField(Self.content)
    for fields: KeyValuePairs<String, String> in [
      [:], ["X-Goog-Hash": hashes], ["x-goog-hash": "crc32c=\(Self.crc)"],
      ["X-Goog-Hash": "crc32c=\(Self.crc), md5="],
      [
        "X-Goog-Hash": "md5=\(hashes.split(separator: "md5=")[1])",
        "x-goog-hash": "crc32c=\(Self.crc),sha9=x",
      ],
      ["Content-Encoding": "identity", "Content-Length": "11", "X-Goog-Hash": hashes],
    ] {
      try await withNewDirectory { directory in
        let (object, transport) = try object(response(200, fields, Self.content))
        #expect(try await form.run(object, directory) == Self.content)
        #expect(
          transport.requests.count == 1 && transport.requests.first?.headers["Accept-Encoding"] == "identity")
      }
    }
  }

  @Test(
    arguments: Form.allCases,
    [
      "crc32c=AAAAAA==", "md5=1B2M2Y8AsgTpgAmY7PhCfg==", "crc32c=7", "crc32c=-1", "md5=x",
      "crc32c=4294967296", "crc32c=RIGHT,md5=x",
    ])
  func contentWithAnotherChecksumIsAnErrorAndChangesNoFile(form: Form, hash: String) async throws {
    try await withNewDirectory { directory in
      try Data("old".utf8).write(to: directory.appending(path: "target"))
      let (object, _) = try object(
        response(
          200, ["Content-Length": "11", "X-Goog-Hash": hash.replacing("RIGHT", with: "\(Self.crc)")],
          Self.content))
      let error = await #expect(throws: StorageError.self) { try await form.run(object, directory) }
      #expect(error?.code == .nonMatchingChecksum && error?.message.contains("gs://b.c/a") == true)
      #expect(try files(in: directory) == ["target"])
      #expect(try Data(contentsOf: directory.appending(path: "target")) == Data("old".utf8))
    }
  }

  /// Checksums are those of the compressed content, which was decompressed on the way.
  @Test(arguments: Form.allCases)
  func checksumsOfCompressedContentAreNotCompared(form: Form) async throws {
    try await withNewDirectory { directory in
      let stated = try object(
        response(200, ["X-Goog-Stored-Content-Encoding": "gzip", "X-Goog-Hash": "crc32c=7"], Self.content)
      ).object
      #expect(try await form.run(stated, directory) == Self.content)
      // The metadata decide if nothing in the response does.
      let hidden = try object(
        response(200, ["X-Goog-Hash": "crc32c=7"], Self.content),
        metadata: metadataText("a", #""contentEncoding": "gzip""#)
      ).object
      #expect(try await form.run(hidden, directory) == Self.content)
      let plain = try object(
        response(200, ["X-Goog-Hash": "crc32c=7"], Self.content),
        metadata: metadataText("a", #""contentEncoding": "identity""#)
      ).object
      let error = await #expect(throws: StorageError.self) { try await form.run(plain, directory) }
      #expect(error?.code == .nonMatchingChecksum)
    }
  }

  @Test func aContentThatIsTooLargeIsRefusedByItsStatedOrItsActualSize() async throws {
    // Nothing is read of a body whose stated size is too large.
    struct Unreadable: TransportInterop {
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: 500)
      }
      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        let body = AsyncThrowingStream<Data, any Error> {
          Issue.record("The body was read.")
          return nil
        }
        return TransportStreamingResponse(
          status: 200, headers: HTTPHeaders([HTTPHeader(name: "Content-Length", value: "11")]), body: body)
      }
    }
    for object in [
      try bucket(Unreadable()).reference(withPath: "a"), try object(response(200, [:], Self.content)).object,
    ] {
      for size: Int64 in [10, 0, -1, .min] {
        let error = await #expect(throws: StorageError.self) { try await object.data(maxSize: size) }
        #expect(error?.code == .downloadSizeExceeded)
      }
    }
    #expect(try await object(response(200, [:], Self.content)).object.data(maxSize: 11) == Self.content)
  }

  // MARK: - Ranges

  @Test(arguments: [
    (0..<4, "bytes=0-3", "tea "), (4..<7, "bytes=4-6", "for"), (8..<99, "bytes=8-98", "two"),
    (8..<Int64.max, "bytes=8-", "two"),
  ])
  func aRangeReturnsItsBytesAlsoFromAServerThatSendsTheWhole(
    range: Range<Int64>, field: String, text: String
  ) async throws {
    let part = response(
      206,
      [
        "Content-Range": "bytes \(range.lowerBound)-\(min(range.upperBound, 11) - 1)/11",
        "X-Goog-Hash": hashField(Self.content),
      ], Data(text.utf8))
    for answer in [
      part, response(200, ["Content-Length": "11"], Self.content), response(200, [:], Self.content),
    ] {
      let (object, transport) = try object(answer)
      #expect(try await object.data(range: range) == Data(text.utf8))
      var streamed = Data()
      for try await chunk in object.stream(range: range) { streamed += chunk }
      #expect(streamed == Data(text.utf8))
      #expect(transport.requests.allSatisfy { $0.headers["Range"] == field } && transport.requests.count == 2)
    }
  }

  @Test func aRangeBehindTheEndIsAnErrorThatNamesTheSize() async throws {
    for answer in [
      response(416, ["Content-Range": "bytes */11"]), response(200, ["Content-Length": "11"], Self.content),
      response(200, [:], Self.content),
    ] {
      let error = await #expect(throws: StorageError.self) {
        try await object(answer).object.data(range: 11..<12)
      }
      #expect(
        error?.code == .invalidArgument && error?.message.contains("11 bytes") == true,
        "\(error?.message ?? "")")
    }
    let error = await #expect(throws: StorageError.self) {
      try await object(response(416, [:])).object.data(range: 11..<12)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [
    "", "bytes 5-8/11", "bytes 3-2/11", "bytes 4-11/11", "bytes 4-7/7", "octets 4-7/11", "bytes 4-/11",
    "bytes */11",
    "bytes 4-9/11", "bytes -4-7/11", "bytes 4-9223372036854775807/9223372036854775807", "bytes 4-7/x",
  ])
  func aPartThatIsNotTheRequestedOneIsAnError(field: String) async throws {
    let part = response(206, ["Content-Range": field, "Content-Length": "4"], Data("for ".utf8))
    let (object, _) = try object(part)
    let error = await #expect(throws: StorageError.self) { try await object.data(range: 4..<8) }
    #expect(error?.code == .unknown, "\(error?.message ?? "")")
  }

  @Test func anInvalidRangeIsAnErrorBeforeAnythingIsSent() async throws {
    let (object, transport) = try object(response(200, [:]))
    for range: Range<Int64> in [0..<0, -1..<5, Int64.min ..< -1] {
      let error = await #expect(throws: StorageError.self) { try await object.data(range: range) }
      #expect(error?.code == .invalidArgument)
      await #expect(throws: StorageError.self) { for try await _ in object.stream(range: range) {} }
    }
    #expect(transport.requests.isEmpty)
  }

  @Test func aPartIsNoAnswerToARequestForTheWhole() async throws {
    for status in [206, 204, 416] {
      let part = response(status, ["Content-Range": "bytes 0-10/11"], Self.content)
      let error = await #expect(throws: StorageError.self) { try await object(part).object.data() }
      #expect(error?.code == .unknown)
    }
  }

  // MARK: - Sequences

  @Test func eachIterationDownloadsTheObjectAndEndsAfterAnError() async throws {
    let (object, transport) = try object(
      response(200, ["X-Goog-Hash": "crc32c=7", "Content-Length": "11"], Self.content))
    var chunks = object.stream().makeAsyncIterator()
    #expect(transport.requests.isEmpty)
    #expect(try await chunks.next() == Self.content)
    do {
      let more = try await chunks.next()
      Issue.record("\(String(describing: more)) instead of an error")
    } catch { #expect(error is StorageError) }
    #expect(try await chunks.next() == nil)
    let root = object.root().stream()
    await #expect(throws: StorageError.self) { for try await _ in root {} }
    #expect(transport.requests.count == 1)
  }

  // MARK: - Retries

  /// A clock that doesn't wait, and records the delays. Longer ones are those of deadlines.
  private final class Clock: Sendable {
    let delays = Lock<[Duration]>([])

    var time: TimeSource {
      TimeSource(
        sleep: { [self] duration in
          guard duration > .seconds(100) else { return delays.withLock { $0.append(duration) } }
          try await TimeSource.system.sleep(duration)
        }, random: { 0 })
    }
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504], ["data", "metadata", "list"])
  func temporaryFailuresAreRepeatedAndRetryAfterIsHonored(status: Int, operation: String) async throws {
    let clock = Clock()
    let count = Lock(0)
    let transport = FakeTransport { _ in
      let number = count.withLock {
        $0 += 1
        return $0
      }
      if number == 1 { return response(status, ["Retry-After": "30"]) }
      if number == 2 { throw TransportError(.connectionLost, "lost") }
      return metadataResponse()
    }
    let object = try bucket(transport, time: clock.time).reference(withPath: "a")
    switch operation {
    case "data": _ = try await object.data()
    case "metadata": _ = try await object.getMetadata()
    default: _ = try await object.list(maxResults: 1)
    }
    #expect(clock.delays.withLock { $0 } == [.seconds(30), .seconds(1)])
  }

  @Test(arguments: ["data", "metadata"])
  func theEndOfTheRetriesNamesTheLimitAndTheLastReason(operation: String) async throws {
    let clock = Clock()
    let setting = operation == "data" ? "maxDownloadRetryTime" : "maxOperationRetryTime"
    for answer: @Sendable () throws -> TransportResponse in [
      { response(503, ["Retry-After": "600"], Data("overload".utf8)) },
      { response(503, [:], Data("overload".utf8)) },
      { throw TransportError(.unreachable, "overload") },
    ] {
      let storage = try bucket(FakeTransport { _ in try answer() }, time: clock.time)
      (storage.maxDownloadRetryTime, storage.maxOperationRetryTime) = (.seconds(500), .seconds(500))
      let object = storage.reference(withPath: "a")
      let error = await #expect(throws: StorageError.self) {
        if operation == "data" { _ = try await object.data() } else { _ = try await object.getMetadata() }
      }
      #expect(error?.code == .retryLimitExceeded)
      #expect(error?.message.contains("overload") == true, "\(error?.message ?? "")")
      #expect(error?.message.hasSuffix("The limit is Storage.\(setting).") == true, "\(error?.message ?? "")")
    }
    #expect(clock.delays.withLock { !$0.isEmpty })
  }

  /// The second request isn't answered, and the time for retries ends while it waits.
  @Test func retriesThatEndDuringARequestNameTheFailureBefore() async throws {
    let second = Gate()
    let time = TimeSource(sleep: { duration in
      // Longer times are those of deadlines.
      if duration > .seconds(100) { try await second.pass() }
    })
    let count = Lock(0)
    let transport = FakeTransport { _ in
      let number = count.withLock {
        $0 += 1
        return $0
      }
      if number == 1 { return response(503, [:], Data("overload".utf8)) }
      second.open()
      try await TimeSource.system.sleep(.seconds(600))
      return metadataResponse()
    }
    let error = await #expect(throws: StorageError.self) {
      try await bucket(transport, time: time).reference(withPath: "a").data()
    }
    #expect(error?.code == .retryLimitExceeded && error?.message.contains("overload") == true)
    #expect(error?.message.hasSuffix("The limit is Storage.maxDownloadRetryTime.") == true)
  }

  @Test(arguments: [400, 401, 403, 404, 412, 501])
  func otherFailuresAreNotRepeated(status: Int) async throws {
    let transport = FakeTransport { _ in response(status, [:]) }
    let object = try bucket(transport).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) { try await object.getMetadata() }
    #expect(error?.code != .retryLimitExceeded && transport.requests.count == 1)
  }

  /// The body of the first response ends after four bytes.
  @Test func aVersionThatHasAnotherSizeLaterIsAnError() async throws {
    let transport = FakeTransport { request in
      guard request.headers["Range"] != nil else {
        return response(200, ["ETag": "\"1\"", "Content-Length": "11"], Self.content.prefix(4))
      }
      return response(206, ["ETag": "\"1\"", "Content-Range": "bytes 4-9/10"], Data("for tw".utf8))
    }
    let object = try bucket(transport, time: Clock().time).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) { try await object.data() }
    #expect(error?.code == .unknown && error?.message.contains("10 bytes instead of 11") == true)
    #expect(transport.requests.map { $0.headers["Range"] } == [nil, "bytes=4-"])
  }

  /// The body of the first response ends after four bytes.
  @Test(
    arguments: [
      (["ETag": "\"1\""], true), (["X-Goog-Generation": "7"], true), (["X-Goog-Hash": "HASH"], true),
      (["ETag": "W/\"1\""], false), ([:], false),
    ] as [([String: String], Bool)])
  func bytesAreJoinedOnlyIfTheyBelongToTheSameVersion(fields: [String: String], isSame: Bool) async throws {
    let fields = fields.mapValues { $0 == "HASH" ? hashField(Self.content) : $0 }
    let count = Lock(0)
    let transport = FakeTransport { request in
      let isFirst = count.withLock {
        $0 += 1
        return $0 == 1
      }
      var answer =
        request.headers["Range"] == nil
        ? response(200, ["Content-Length": "11"], isFirst ? Self.content.prefix(4) : Self.content)
        : response(206, ["Content-Range": "bytes 4-10/11"], Data("for two".utf8))
      for (name, value) in fields { answer.headers.add(name, value) }
      return answer
    }
    let clock = Clock()
    let object = try bucket(transport, time: clock.time).reference(withPath: "a")
    #expect(try await object.data() == Self.content)
    // A body that ends too early is a failure, after which the client waits.
    #expect(clock.delays.withLock { $0 } == [.milliseconds(500)])
    let ranges = transport.requests.map { $0.headers["Range"] }
    #expect(ranges == (isSame ? [nil, "bytes=4-"] : [nil, "bytes=4-", nil]))
  }

  @Test func aBodyThatIsLongerThanStatedIsAnError() async throws {
    let (object, transport) = try object(response(200, ["Content-Length": "5"], Self.content))
    let error = await #expect(throws: StorageError.self) { try await object.data() }
    #expect(error?.code == .unknown && error?.message.contains("more bytes") == true)
    #expect(transport.requests.count == 1)
  }

  /// The server sends the same four bytes again and again.
  @Test func aServerThatSendsOnlyKnownBytesIsAnError() async throws {
    let transport = FakeTransport { request in
      request.headers["Range"] == nil
        ? response(200, ["ETag": "\"1\"", "Content-Length": "11"], Self.content.prefix(4))
        : response(206, ["ETag": "\"1\"", "Content-Range": "bytes 0-3/11"], Self.content.prefix(4))
    }
    let object = try bucket(transport, time: Clock().time).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) { try await object.data() }
    #expect(error?.code == .retryLimitExceeded && error?.message.contains("no byte from offset 4") == true)
  }

  /// Neither waiting nor the exchanges take any time.
  @Test func attemptsAreLimitedEvenIfTheClockStandsStill() async throws {
    let now = ContinuousClock.now
    var time = Clock().time
    time.now = { now }
    let transport = FakeTransport { _ in throw TransportError(.unreachable, "overload") }
    let object = try bucket(transport, time: time).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) { try await object.data() }
    #expect(error?.code == .retryLimitExceeded && transport.requests.count < 50)
  }

  /// Three exchanges take more than the time for retries. Each has one byte.
  @Test func everyByteExtendsTheTimeForRetries() async throws {
    let clock = TestTime()
    var time = Clock().time
    time.now = { clock.now }
    let transport = FakeTransport { request in
      clock.advance(by: 100)
      let start = request.headers["Range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
      let fields: KeyValuePairs =
        start == 0
        ? ["ETag": "\"1\"", "Content-Length": "11"]
        : ["ETag": "\"1\"", "Content-Range": "bytes \(start)-10/11"]
      return response(start == 0 ? 200 : 206, fields, Self.content.dropFirst(start).prefix(1))
    }
    let storage = try bucket(transport, time: time)
    (storage.maxDownloadRetryTime, storage.maxTransferTime) = (.seconds(250), .seconds(5_000))
    #expect(try await storage.reference(withPath: "a").data() == Self.content)
    #expect(transport.requests.count == 11)
  }

  @Test func anExchangeThatReachedTheEndOfTheTransferIsNotRepeated() async throws {
    let transport = FakeTransport { _ in throw TransportError(.timedOut, "late", timeout: .exchange) }
    let object = try bucket(transport, time: Clock().time).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) { try await object.data() }
    #expect(error?.code == .retryLimitExceeded && transport.requests.count == 1)
    #expect(error?.message.contains("Storage.maxTransferTime") == true)
  }

  // MARK: - Files

  @Test func twoDownloadsToOneFileBothSucceedAndLeaveNothingElse() async throws {
    try await withNewDirectory { directory in
      let target = directory.appending(path: "target")
      let gate = Gate()
      let content = Data(repeating: 7, count: 3 << 20)
      let transport = FakeTransport { request in
        if request.url.path.hasSuffix("slow") { try await gate.pass() }
        return response(
          200, ["Content-Length": "\(content.count)", "X-Goog-Hash": hashField(content)], content)
      }
      let storage = try bucket(transport)
      let slow = storage.reference(withPath: "slow").write(toFile: target)
      try await eventually { !transport.requests.isEmpty }
      #expect(try files(in: directory) == [".target.download"])
      try await storage.reference(withPath: "fast").writeAsync(toFile: target)
      #expect(try files(in: directory) == [".target.download", "target"])
      gate.open()
      #expect(try await slow.value == target)
      #expect(try files(in: directory) == ["target"] && Data(contentsOf: target) == content)
    }
  }

  @Test func whatAnotherProgramLeftBesideTheTargetIsReplacedAndNotFollowed() async throws {
    try await withNewDirectory { directory in
      let target = directory.appending(path: "target")
      let partial = PartialFile.place(of: target)
      let (object, _) = try object(response(200, ["X-Goog-Hash": hashField(Self.content)], Self.content))
      try Data("garbage that is longer than the content".utf8).write(to: partial)
      try Data("{}".utf8).write(to: URL(filePath: partial.path + ".json"))
      try await object.writeAsync(toFile: target)
      #expect(try files(in: directory) == ["target"] && Data(contentsOf: target) == Self.content)
      let victim = directory.appending(path: "victim")
      try Data("precious".utf8).write(to: victim)
      try FileManager.default.createSymbolicLink(at: partial, withDestinationURL: victim)
      try await object.writeAsync(toFile: target)
      #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    }
  }

  /// What a process leaves that ends before the first bytes have arrived.
  @Test(arguments: [false, true])
  func aDescriptionWithoutBytesIsRemoved(hasFile: Bool) async throws {
    try await withNewDirectory { directory in
      let target = directory.appending(path: "target")
      let partial = PartialFile.place(of: target)
      if hasFile { try Data().write(to: partial) }
      try Data("{}".utf8).write(to: URL(filePath: partial.path + ".json"))
      let (object, _) = try object(response(200, [:], Self.content))
      try await object.writeAsync(toFile: target)
      #expect(try files(in: directory) == ["target"])
    }
  }

  @Test(arguments: [1, 180, 181, 255])
  func aFileMayHaveTheLongestName(count: Int) async throws {
    try await withNewDirectory { directory in
      let target = directory.appending(path: String(repeating: "n", count: count))
      let (object, _) = try object(response(200, [:], Self.content))
      try await object.writeAsync(toFile: target)
      #expect(try files(in: directory) == [target.lastPathComponent])
    }
  }

  @Test func progressGrowsByAtMost256KiBUpToTheTotal() async throws {
    try await withNewDirectory { directory in
      let content = Data(repeating: 1, count: (3 << 20) + 5)
      let (object, _) = try object(
        response(200, ["Content-Length": "\(content.count)", "Content-Encoding": "identity"], content))
      let steps = Lock<[OperationProgress]>([])
      try await object.writeAsync(toFile: directory.appending(path: "target")) { step in
        steps.withLock { $0.append(step) }
      }
      let numbers = steps.withLock { $0 }
      #expect(numbers.first?.completedUnitCount == 0 && numbers.last?.fractionCompleted == 1)
      #expect(numbers.allSatisfy { $0.totalUnitCount == Int64(content.count) })
      for (one, next) in zip(numbers, numbers.dropFirst()) {
        let step = next.completedUnitCount - one.completedUnitCount
        #expect(step > 0 && step <= 256 << 10)
      }
    }
  }

  @Test func aCancelledTaskEndsWithTheCodeOfACancellationAndLeavesNothing() async throws {
    try await withNewDirectory { directory in
      let transport = FakeTransport { _ in
        try await Task.sleep(for: .seconds(600))
        return TransportResponse(status: 200)
      }
      let task = try bucket(transport).reference(withPath: "a").write(
        toFile: directory.appending(path: "target"))
      try await eventually { !transport.requests.isEmpty }
      task.cancel()
      let error = await #expect(throws: StorageError.self) { try await task.value }
      #expect(error?.code == .cancelled && task.snapshot.status == .failure)
      #expect(try files(in: directory) == [])
    }
  }
}
