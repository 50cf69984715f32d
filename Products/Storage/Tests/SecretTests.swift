import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

/// P6: credentials don't appear in errors and descriptions.
@Suite(.limited) struct SecretTests {
  private func object(_ transport: FakeTransport) throws -> StorageReference {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
    return try StorageInstances(
      app: context, auth: auth, appCheck: FakeAppCheck(), transport: transport,
      time: TestTime(advancesItself: true).source
    )
    .storage(bucket: nil).reference(withPath: "a")
  }

  private func run(_ operation: DeadlineTests.Operation, _ object: StorageReference) async throws
    -> StorageError
  {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-secrets-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    // More than what an upload sends in one request.
    try Data(count: 300_000).write(to: directory.appending(path: "source"))
    let error = await #expect(throws: StorageError.self) { try await operation.run(object, in: directory) }
    return try #require(error)
  }

  @Test(arguments: DeadlineTests.Operation.allCases, FakeTransport.EchoForm.allCases)
  func p6ServerThatQuotesTheRequestRevealsNoTokens(
    operation: DeadlineTests.Operation, form: FakeTransport.EchoForm
  ) async throws {
    for status in [400, 401, 403] {
      let object = try object(.echo(status: status, form: form))
      let texts = disclosedTexts(of: try await run(operation, object)) + disclosedTexts(of: object)
      for text in texts {
        #expect(!text.contains("ann-token") && !text.contains("app-check-"), "\(text)")
      }
    }
  }

  /// The metadata of an object contains its download tokens.
  @Test(
    arguments: [DeadlineTests.Operation.getMetadata, .updateMetadata, .list, .downloadURL, .putData],
    [#"{"downloadTokens": "s3cret""#, "s3cret"])
  func p6MalformedMetadataIsNotQuoted(operation: DeadlineTests.Operation, content: String) async throws {
    let object = try object(FakeTransport { _ in TransportResponse(status: 200, body: Data(content.utf8)) })
    for text in disclosedTexts(of: try await run(operation, object)) {
      #expect(!text.contains("s3cret"), "\(text)")
    }
  }

  /// The ID of an upload permits anyone to write the object.
  @Test(arguments: [TransportError.Code.connectionLost, .timedOut, .invalidResponse, .invalidRequest])
  func p6FailedUploadDoesNotRevealItsID(code: TransportError.Code) async throws {
    let transport = FakeTransport { request in
      guard request.headers["X-Goog-Upload-Command"] == "start" else {
        if request.headers["X-Goog-Upload-Command"] == "query" { return TransportResponse(status: 410) }
        throw TransportError(code, "127.0.0.1 failed.")
      }
      let url = "https://firebasestorage.googleapis.com/v0/b/b.c/o?upload_id=s3cret"
      return TransportResponse(
        status: 200, headers: HTTPHeaders([HTTPHeader(name: "X-Goog-Upload-URL", value: url)]))
    }
    let object = try object(transport)
    for text in disclosedTexts(of: try await run(.putFile, object)) + disclosedTexts(of: object) {
      #expect(!text.contains("s3cret"), "\(text)")
    }
  }
}
