import Foundation
import TenonCore
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct ObjectTests {
  /// A transport whose responses all have the same body.
  private struct Repeating: TransportInterop {
    let body: String

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      TransportResponse(status: 200, headers: HTTPHeaders(), body: Data(body.utf8))
    }

    func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
      throw TransportError(.unreachable, "Nothing is streamed.")
    }
  }

  @Test(arguments: ["null", "[]", "\"a\"", "7", "[{\"name\": \"a\"}]", "{\"error\": {\"code\": 500}}"])
  func jsonThatIsNoObjectOrDescribesAnErrorIsNotAResult(_ body: String) async throws {
    let context = AppContext(
      name: "object", options: AppOptions(projectID: "p", storageBucket: "bucket"), userAgent: "tests/1")
    let storage = try StorageInstances(
      app: context, auth: nil, appCheck: nil, transport: Repeating(body: body)
    ).storage(bucket: nil)
    let object = storage.reference(withPath: "a")
    for operation in [
      { _ = try await object.getMetadata() }, { _ = try await object.list(maxResults: 1) },
      { _ = try await object.putDataAsync(Data()) },
      { _ = try await object.updateMetadata(StorageMetadata(contentType: "a/b")) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: StorageError.self) { try await operation() }
      #expect(error?.code == .unknown)
    }
  }
}
