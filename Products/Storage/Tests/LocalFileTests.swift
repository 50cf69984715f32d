import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct LocalFileTests {
  private func object() throws -> (object: StorageReference, transport: FakeTransport) {
    let transport = FakeTransport { request in
      let headers = HTTPHeaders([
        HTTPHeader(name: "X-Goog-Upload-URL", value: "https://upload.invalid/session")
      ])
      return TransportResponse(
        status: 200, headers: headers, body: Data(metadataText("a", #""size": "4""#).utf8))
    }
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    let instances = try StorageInstances(app: context, auth: nil, appCheck: nil, transport: transport)
    return (try instances.storage(bucket: nil).reference(withPath: "a"), transport)
  }

  private func check(_ error: StorageError?, _ path: String, _ text: String) {
    #expect(error?.code == .fileError)
    #expect(error?.localizedDescription == "The file \(path) \(text). (file-error)")
    #expect(error.map { "\($0)" }?.contains("Error Domain") == false)
  }

  @Test func missingFileIsAnErrorWithTheSystemsReason() async throws {
    let (object, transport) = try object()
    let error = await #expect(throws: StorageError.self) {
      try await object.putFileAsync(from: URL(filePath: "/nowhere/file"))
    }
    check(error, "/nowhere/file", "can't be read: No such file or directory")
    #expect(transport.requests.isEmpty)
  }

  @Test func directoryCannotBeUploaded() async throws {
    let (object, transport) = try object()
    let error = await #expect(throws: StorageError.self) {
      try await object.putFileAsync(from: URL(filePath: "/tmp"))
    }
    check(error, "/tmp", "can't be read: Is a directory")
    #expect(transport.requests.isEmpty)
  }

  @Test func missingDirectoryIsAnErrorWithTheSystemsReason() async throws {
    let error = await #expect(throws: StorageError.self) {
      try await object().object.writeAsync(toFile: URL(filePath: "/nowhere/file"))
    }
    check(error, "/nowhere/file", "can't be written: No such file or directory")
  }

  /// The download replaces its target by renaming, which fails only at the end.
  @Test func directoryIsNotReplacedAndNothingIsLeftBehind() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-file-\(UUID())")
    let target = directory.appending(path: "target")
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let error = await #expect(throws: StorageError.self) {
      try await object().object.writeAsync(toFile: target)
    }
    check(error, target.path, "can't be written: Is a directory")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["target"])
  }

  @Test func progressIsReportedAsNumbersAndAsAFraction() async throws {
    let steps = Lock<[OperationProgress]>([])
    let content = Data([7, 7, 7, 7])
    _ = try await object().object.putDataAsync(content) { step in steps.withLock { $0.append(step) } }
    #expect(steps.withLock { $0 } == [OperationProgress(completedUnitCount: 4, totalUnitCount: 4)])
    #expect(OperationProgress(completedUnitCount: 1, totalUnitCount: 4).fractionCompleted == 0.25)
    #expect(OperationProgress(completedUnitCount: 1, totalUnitCount: nil).fractionCompleted == 0)
    #expect(OperationProgress(completedUnitCount: 0, totalUnitCount: 0).fractionCompleted == 1)
    #expect(OperationProgress(completedUnitCount: .max, totalUnitCount: 1).fractionCompleted == 1)
  }
}
