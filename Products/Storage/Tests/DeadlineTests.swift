import Foundation
import TenonAppCheckInterop
import TenonAuthInterop
import TenonCore
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// P4: the time that an operation may take covers its tokens and repetitions.
@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
  private let time: TestTime

  init() { time = TestTime() }

  enum Operation: String, CaseIterable, Sendable {
    case metadata, updateMetadata, list, delete, put, putFile, data, write

    /// Which of the bucket's times it has, in seconds.
    var seconds: Double {
      switch self {
      case .put, .putFile: 40
      case .data, .write: 50
      default: 30
      }
    }

    func run(_ object: StorageReference, in directory: URL) async throws {
      switch self {
      case .metadata: _ = try await object.metadata()
      case .updateMetadata: try await object.updateMetadata { $0.contentType = "text/plain" }
      case .list: _ = try await object.list()
      case .delete: try await object.delete()
      case .put: try await object.put(Data("x".utf8))
      case .putFile: try await object.put(file: directory.appending(path: "source"))
      case .data: _ = try await object.data()
      case .write: try await object.write(to: directory.appending(path: "target"))
      }
    }
  }

  private func storage(
    time: TestTime, auth: (any AuthInterop)? = nil, appCheck: (any AppCheckInterop)? = nil,
    _ answer: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse = { _ in
      HTTPResponse(status: 200, body: Data("{}".utf8))
    }
  ) throws -> (object: StorageReference, transport: FakeTransport) {
    let transport = FakeTransport(answer)
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let instances = try StorageInstances(
      app: context, auth: auth, appCheck: appCheck, transport: transport, pace: time.pace)
    let storage = try instances.storage(bucket: nil)
    storage.maxOperationRetryTime = .seconds(30)
    storage.maxUploadRetryTime = .seconds(40)
    storage.maxDownloadRetryTime = .seconds(50)
    return (try storage.reference("a"), transport)
  }

  private func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-deadline-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try Data("x".utf8).write(to: directory.appending(path: "source"))
    try await body(directory)
  }

  @Test(arguments: Operation.allCases, ["Auth", "App Check"])
  func p4ATokenThatNeverComesEndsWithTheTime(operation: Operation, silent: String) async throws {
    try await withDirectory { directory in
      let (object, transport) = try storage(
        time: time, auth: silent == "Auth" ? SilentTokens() : nil,
        appCheck: silent == "App Check" ? SilentTokens() : nil)
      var waits = time.waits.makeAsyncIterator()
      let call = Task { try await operation.run(object, in: directory) }
      #expect(await waits.next() == operation.seconds)
      time.advance(by: operation.seconds)
      let error = await #expect(throws: StorageError.self) { try await call.value }
      #expect(error?.code == .deadlineExceeded && error?.message.contains(silent) == true)
      #expect(transport.requests.isEmpty)
    }
  }

  @Test(arguments: [Operation.metadata, .list, .delete])
  func p4ARequestWithoutContentHasADeadline(operation: Operation) async throws {
    let (object, transport) = try storage(time: time)
    try await operation.run(object, in: FileManager.default.temporaryDirectory)
    #expect(transport.requests.map(\.deadline) == [.seconds(30)])
  }

  @Test func contentMayTakeItsTimeButIsNotSentAgainAfterIt() async throws {
    let time = TestTime(advancesItself: true)
    // Each attempt takes 25 of the 40 seconds.
    let (object, transport) = try storage(time: time) { _ in
      time.advance(by: 25)
      throw TransportError(.connectionLost, "lost")
    }
    let error = await #expect(throws: StorageError.self) { try await object.put(Data("x".utf8)) }
    #expect(error?.code == .unavailable)
    #expect(transport.requests.map(\.deadline) == [nil, nil])
  }

  @Test func theTimesAreFirebasesAtFirst() throws {
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let storage = try StorageInstances(
      app: context, auth: nil, appCheck: nil, transport: FakeTransport { _ in HTTPResponse(status: 200) }
    ).storage(bucket: nil)
    #expect(storage.maxOperationRetryTime == .seconds(120))
    #expect(storage.maxUploadRetryTime == .seconds(600))
    #expect(storage.maxDownloadRetryTime == .seconds(600))
  }
}
