import Foundation
import TenonFoundation
import TenonStoreInterop
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The texts of errors, which apps show and log.
@Suite(.limited) struct ErrorTextTests {
  /// A data directory that can't be created, because its parent is a file.
  private func withBlockedDirectory(_ body: (Backend, String) async throws -> Void) async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    try Data().write(to: URL(filePath: directory.path))
    let backend = Backend(directory: directory.path)
    try await body(backend, directory.path)
    await backend.embedded.close()
  }

  @Test func aDataDirectoryThatCanNotBeCreatedIsNamedWithTheReason() async throws {
    try await withBlockedDirectory { backend, path in
      let (status, json) = try await backend.administrate("accounts", ["localId": "ada"])
      #expect(status == 500)
      let reason =
        "The data directory \(path)/backend can't be created: Not a directory. Check AppOptions.backend."
      #expect(json.errorMessage == reason)
      let remote = EmbeddedStoreRemote(backend.embedded, auth: nil)
      let error = await #expect(throws: StoreRemoteError.self) {
        try await remote.fetch([], in: RemoteContext())
      }
      #expect(error?.code == .failedPrecondition && error?.message == reason)
    }
  }

  @Test func aFileThatCanNotBeUploadedIsNamedWithTheReason() async throws {
    let backend = Backend()
    let url = try #require(URL(string: "https://firebasestorage.googleapis.com/v0/b/demo/o?name=a"))
    let file = URL(filePath: "/nowhere/a.txt")
    let error = await #expect(throws: TransportError.self) {
      try await backend.embedded.send(TransportRequest(.post, url, body: .file(file)))
    }
    let reason = "No such file or directory. Check that it exists and is readable."
    #expect(error?.message == "The file /nowhere/a.txt can't be read: \(reason)")
  }

  @Test func theReasonOfAnErrorOfFoundationIsNotADump() {
    let posix = POSIXError(.EACCES)
    let cocoa = CocoaError(.fileWriteNoPermission, userInfo: [NSUnderlyingErrorKey: posix])
    #expect(posix.systemReason == "Permission denied")
    #expect(cocoa.systemReason == "Permission denied")
    #expect(!CocoaError(.fileNoSuchFile).systemReason.contains("Error Domain="))
  }

  @Test func publicErrorsAreLocalized() {
    let rejection: any Error = CallableError(.notFound, "There is no such note.")
    #expect("\(rejection)" == "There is no such note. (NOT_FOUND)")
    #expect(rejection.localizedDescription == "\(rejection)")
    let token: any Error = CustomTokenError(message: "A custom token can't be created.")
    #expect("\(token)" == "A custom token can't be created.")
    #expect(token.localizedDescription == "\(token)")
  }
}
