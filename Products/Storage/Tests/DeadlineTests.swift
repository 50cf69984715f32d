import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// P4: the time limit of an operation covers tokens and retries.
@Suite(.limited) struct DeadlineTests {
  private let time: TestTime

  init() { time = TestTime() }

  enum Operation: String, CaseIterable, Sendable {
    case getMetadata, updateMetadata, list, delete, downloadURL, putData, putFile, data, write

    /// The limit that applies to the operation, in seconds.
    var seconds: Double {
      switch self {
      case .putData, .putFile: 40
      case .data, .write: 50
      default: 30
      }
    }

    func run(_ object: StorageReference, in directory: URL) async throws {
      switch self {
      case .getMetadata: _ = try await object.getMetadata()
      case .updateMetadata: try await object.updateMetadata(StorageMetadata(contentType: "text/plain"))
      case .list: _ = try await object.listAll()
      case .delete: try await object.delete()
      case .downloadURL: _ = try await object.downloadURL()
      case .putData: try await object.putDataAsync(Data("x".utf8))
      case .putFile: try await object.putFileAsync(from: directory.appending(path: "source"))
      case .data: _ = try await object.data()
      case .write: try await object.writeAsync(toFile: directory.appending(path: "target"))
      }
    }
  }

  private func storage(
    time: TestTime, auth: (any AuthInterop)? = nil, appCheck: (any AppCheckInterop)? = nil,
    _ answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse = { _ in
      metadataResponse("a", #""downloadTokens": "t""#)
    }
  ) throws -> (object: StorageReference, transport: FakeTransport) {
    let transport = FakeTransport(answer)
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let instances = try StorageInstances(
      app: context, auth: auth, appCheck: appCheck, transport: transport, time: time.source)
    let storage = try instances.storage(bucket: nil)
    storage.maxOperationRetryTime = .seconds(30)
    storage.maxUploadRetryTime = .seconds(40)
    storage.maxDownloadRetryTime = .seconds(50)
    return (storage.reference(withPath: "a"), transport)
  }

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-deadline-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data("x".utf8).write(to: directory.appending(path: "source"))
    try await body(directory)
  }

  @Test(arguments: Operation.allCases, ["Auth", "App Check"])
  func p4TokenThatNeverArrivesEndsWithTheTimeLimit(operation: Operation, silent: String) async throws {
    try await withDirectory { directory in
      let (object, transport) = try storage(
        time: time, auth: silent == "Auth" ? SilentTokens() : nil,
        appCheck: silent == "App Check" ? SilentTokens() : nil)
      var waits = time.waits.makeAsyncIterator()
      let call = Task { try await operation.run(object, in: directory) }
      #expect(await waits.next() == operation.seconds)
      time.advance(by: operation.seconds)
      let error = await #expect(throws: StorageError.self) { try await call.value }
      #expect(error?.code == .retryLimitExceeded && error?.message.contains(silent) == true)
      #expect(transport.requests.isEmpty)
    }
  }

  @Test(arguments: [Operation.getMetadata, .updateMetadata, .list, .delete, .downloadURL])
  func p4RequestWithoutContentHasADeadline(operation: Operation) async throws {
    let (object, transport) = try storage(time: time)
    try await operation.run(object, in: FileManager.default.temporaryDirectory)
    #expect(transport.requests.map(\.deadline) == [.seconds(30)])
  }

  @Test func contentIsNotLimitedButIsNotSentAgainAfterTheTimeLimit() async throws {
    let time = TestTime(advancesItself: true)
    // Each attempt takes 25 of the 40 seconds.
    let (object, transport) = try storage(time: time) { _ in
      time.advance(by: 25)
      throw TransportError(.connectionLost, "lost")
    }
    let error = await #expect(throws: StorageError.self) { try await object.putDataAsync(Data("x".utf8)) }
    #expect(error?.code == .retryLimitExceeded)
    #expect((error?.underlying as? StorageError)?.code == .unavailable)
    // The limit of the whole transfer, less the first attempt and the first delay.
    #expect(transport.requests.map(\.deadline) == [.seconds(86_400), .seconds(86_400 - 26)])
  }

  /// Small content is one request, larger content begins with one.
  @Test(arguments: [1, 300 << 10])
  func anAttemptThatEndsLateLeavesTheReasonOfTheOneBefore(size: Int) async throws {
    let time = TestTime(advancesItself: true)
    let attempts = Lock(0)
    let (object, _) = try storage(time: time) { _ in
      let isFirst = attempts.withLock { attempts in
        attempts += 1
        return attempts == 1
      }
      guard isFirst else { throw TransportError(.timedOut, "The server didn't answer in time.") }
      return TransportResponse(status: 507, body: Data(#"{"error": {"message": "No space is left."}}"#.utf8))
    }
    let error = await #expect(throws: StorageError.self) {
      _ = try await object.putDataAsync(Data(repeating: 1, count: size))
    }
    #expect(error?.code == .retryLimitExceeded)
    #expect(
      error?.message
        == "gs://b.c/a: the server answered with status 507: No space is left. Try again. The upload failed once, "
        + "and the next attempt didn't end in time. The limit is Storage.maxUploadRetryTime.")
    #expect((error?.underlying as? StorageError)?.code == .unavailable)
  }

  @Test func timeLimitsOfRetriesAreFirebasesByDefault() throws {
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let storage = try StorageInstances(
      app: context, auth: nil, appCheck: nil, transport: FakeTransport { _ in TransportResponse(status: 200) }
    ).storage(bucket: nil)
    #expect(storage.maxOperationRetryTime == .seconds(120))
    #expect(storage.maxUploadRetryTime == .seconds(600))
    #expect(storage.maxDownloadRetryTime == .seconds(600))
    #expect(storage.maxTransferTime == .seconds(86_400))
    #expect(
      storage.timeouts
        == HTTPTimeouts(connecting: .seconds(30), firstByte: .seconds(60), inactivity: .seconds(60)))
  }

  /// The transport ignores its cancellation.
  @Test(arguments: [Operation.data, .write])
  func p4DownloadWithoutAResponseEndsWithTheTimeLimit(operation: Operation) async throws {
    try await withDirectory { directory in
      let (held, release) = AsyncStream<Void>.makeStream()
      let (object, _) = try storage(time: time) { _ in
        await Task.detached { for await _ in held {} }.value
        return TransportResponse(status: 200)
      }
      var waits = time.waits.makeAsyncIterator()
      let call = Task { try await operation.run(object, in: directory) }
      #expect(await waits.next() == 50)
      time.advance(by: 50)
      let error = await #expect(throws: StorageError.self) { try await call.value }
      #expect(error?.code == .retryLimitExceeded)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["source"])
      release.finish()
    }
  }

  /// The explanation of a refusal is part of the head's time limit, and isn't read to its end.
  @Test func p3EndlessExplanationOfARefusalIsCutOff() async throws {
    struct Endless: TransportInterop {
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: 500)
      }

      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        let body = AsyncThrowingStream<Data, any Error> { Data(repeating: 120, count: 100) }
        return TransportStreamingResponse(status: 403, headers: HTTPHeaders(), body: body)
      }
    }
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let object = try StorageInstances(app: context, auth: nil, appCheck: nil, transport: Endless())
      .storage(bucket: nil).reference(withPath: "a")
    let error = await #expect(throws: StorageError.self) { try await object.data() }
    #expect(error?.code == .unauthorized)
  }
}
