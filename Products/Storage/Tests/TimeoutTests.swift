import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct TimeoutTests {
  private func object(
    _ transport: any TransportInterop, time: TimeSource = .system
  ) throws -> StorageReference {
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    return try StorageInstances(
      app: context, auth: FakeAuth(), appCheck: FakeAppCheck(), transport: transport, time: time
    ).storage(bucket: nil).reference(withPath: "a")
  }

  /// More than what an upload sends in one request.
  private static let content = Data(count: 300_000)

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-timeouts-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try Self.content.write(to: directory.appending(path: "source"))
    try await body(directory)
  }

  /// A server that loses the first chunk of an upload, so that the client queries its state.
  private static func server() -> FakeTransport {
    let isLost = Lock(true)
    return FakeTransport { request in
      let command = request.headers["X-Goog-Upload-Command"]
      if command?.hasPrefix("upload") == true,
        isLost.withLock({ isLost in
          defer { isLost = false }
          return isLost
        })
      {
        throw TransportError(.connectionLost, "lost")
      }
      let isLast = command?.hasSuffix("finalize") == true
      let headers = HTTPHeaders([
        HTTPHeader(name: "X-Goog-Upload-URL", value: "https://firebasestorage.googleapis.com/session"),
        HTTPHeader(name: "X-Goog-Upload-Status", value: isLast ? "final" : "active"),
      ])
      let content = request.headers["X-Goog-Upload-Protocol"] == "multipart" ? Data("x".utf8) : content
      let body = UploadServer.description(of: content) { $0["downloadTokens"] = "t" }
      return TransportResponse(status: 200, headers: headers, body: body)
    }
  }

  @Test(arguments: DeadlineTests.Operation.allCases)
  func timeoutsReachEveryRequest(operation: DeadlineTests.Operation) async throws {
    try await withDirectory { directory in
      let transport = Self.server()
      let object = try object(transport)
      let changed = HTTPTimeouts(connecting: .seconds(1), firstByte: .seconds(2), inactivity: .seconds(3))
      object.storage.timeouts = changed
      object.storage.maxTransferTime = .seconds(4_000)
      try await operation.run(object, in: directory)
      let requests = transport.requests
      #expect(requests.count == (operation == .putFile ? 4 : 1))
      #expect(requests.allSatisfy { $0.timeouts == changed }, "\(operation)")
      // Content has the limit of the whole transfer, and everything else its own.
      #expect(requests.allSatisfy { $0.deadline.map { $0 > .zero && $0 <= .seconds(4_000) } ?? false })
    }
  }

  /// A source of content that ends with the time limit, or a transport whose deadline doesn't cover a
  /// streamed body.
  @Test(arguments: [DeadlineTests.Operation.data, .write])
  func p4DownloadThatTricklesEndsWithTheLimitOfTransfers(operation: DeadlineTests.Operation) async throws {
    struct Trickle: TransportInterop {
      let time: TestTime
      func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(status: 500)
      }

      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        // A byte in each minute, without an end.
        let body = AsyncThrowingStream<Data, any Error> { [time] in
          time.advance(by: 59)
          return Data([120])
        }
        return TransportStreamingResponse(status: 200, headers: HTTPHeaders(), body: body)
      }
    }
    try await withDirectory { directory in
      let time = TestTime()
      let object = try object(Trickle(time: time), time: time.source)
      let start = time.now
      let error = await #expect(throws: StorageError.self) { try await operation.run(object, in: directory) }
      #expect(error?.code == .retryLimitExceeded)
      #expect(error?.message.hasSuffix("The limit is Storage.maxTransferTime.") == true)
      #expect(time.now - start < .seconds(86_400 + 60))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["source"])
    }
  }

  /// Each chunk arrives, but slowly.
  @Test func p4UploadOfManyChunksEndsWithTheLimitOfTransfers() async throws {
    try await withDirectory { directory in
      let time = TestTime()
      let transport = FakeTransport { request in
        if request.headers["X-Goog-Upload-Command"] == "upload" { time.advance(by: 50) }
        if request.deadline == .zero { throw TransportError(.timedOut, "Late.", timeout: .exchange) }
        let url = HTTPHeader(
          name: "X-Goog-Upload-URL", value: "https://firebasestorage.googleapis.com/session")
        return TransportResponse(status: 200, headers: HTTPHeaders([url]), body: Data(metadataText().utf8))
      }
      let file = directory.appending(path: "large")
      try Data(count: 3 * ResumableUpload.chunkSize).write(to: file)
      let object = try object(transport, time: time.source)
      object.storage.maxTransferTime = .seconds(90)
      let error = await #expect(throws: StorageError.self) { try await object.putFileAsync(from: file) }
      #expect(
        error?.code == .retryLimitExceeded && error?.message.contains("Storage.maxTransferTime") == true)
      #expect(transport.requests.map(\.deadline) == [.seconds(90), .seconds(90), .seconds(40), .zero])
    }
  }

  #if os(Linux)
    @Test(
      arguments: StalledTransport.phases,
      [DeadlineTests.Operation.delete, .data, .write, .getMetadata, .putFile])
    func silentServerIsAnErrorThatNamesTheLimit(
      phase: TransportError.Timeout, operation: DeadlineTests.Operation
    ) async throws {
      // Requests that may be repeated are sent again if connecting takes too long.
      if phase == .connecting, operation == .getMetadata || operation == .putFile { return }
      try await withDirectory { directory in
        let transport = try await StalledTransport(silentIn: phase)
        defer { transport.stop() }
        let isDownload = operation == .data || operation == .write
        // A download is tried again, here without delay, until it has been tried often enough. Longer times
        // are those of deadlines.
        let time = TimeSource(sleep: { duration in
          if duration > .seconds(80) { try await TimeSource.system.sleep(duration) }
        })
        let object = try object(transport, time: isDownload && phase != .exchange ? time : .system)
        let storage = object.storage
        let short = Duration.milliseconds(80)
        let setting: String
        switch phase {
        case .connecting: (storage.timeouts.connecting, setting) = (short, "timeouts.connecting")
        case .firstByte: (storage.timeouts.firstByte, setting) = (short, "timeouts.firstByte")
        case .inactivity: (storage.timeouts.inactivity, setting) = (short, "timeouts.inactivity")
        case _ where isDownload: (storage.maxDownloadRetryTime, setting) = (short, "maxDownloadRetryTime")
        case _ where operation == .putFile:
          (storage.maxUploadRetryTime, setting) = (short, "maxUploadRetryTime")
        default: (storage.maxOperationRetryTime, setting) = (short, "maxOperationRetryTime")
        }
        if isDownload, phase != .exchange { storage.maxDownloadRetryTime = .seconds(100) }
        let error = await #expect(throws: StorageError.self) {
          try await operation.run(object, in: directory)
        }
        #expect(error?.code == (phase == .connecting && !isDownload ? .unavailable : .retryLimitExceeded))
        #expect(
          error?.message.contains("The limit is Storage.\(setting).") == true, "\(error?.message ?? "")")
        #expect((error?.underlying as? TransportError)?.timeout == phase)
      }
    }
  #endif
}
