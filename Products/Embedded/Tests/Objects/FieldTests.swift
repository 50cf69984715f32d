import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Names and metadata that become header fields and parts of URLs.
@Suite(.limited) struct FieldTests {
  private let backend = Backend()
  private let base = "https://firebasestorage.googleapis.com/v0/b/demo/o"
  private static let fields = [
    "contentType", "cacheControl", "contentDisposition", "contentLanguage", "contentEncoding",
  ]

  @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "\u{7F}", "\u{1B}[31m", "a\u{85}b"])
  func controlCharactersInMetadataAreRejected(text: String) async throws {
    _ = try await backend.send(.post, "\(base)?name=a", body: Data("x".utf8))
    let metadata =
      Self.fields.map { JSON.object([$0: .string(text)]) }
      + [["metadata": ["k": .string(text)]], ["metadata": .object([text: "v"])]]
    for metadata in metadata {
      let json = try metadata.serialized
      #expect(try await backend.send(.patch, "\(base)/a", body: json).status == 400)
      let start = ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]
      #expect(try await backend.send(.post, "\(base)?name=b", body: json, headers: start).status == 400)
      let body = Data("--B\r\n\r\n".utf8) + json + Data("\r\n--B\r\n\r\nx\r\n--B--".utf8)
      let multipart = [
        "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=B",
      ]
      #expect(try await backend.send(.post, "\(base)?name=b", body: body, headers: multipart).status == 400)
    }
    #expect(try await backend.send(.get, "\(base)/b").status == 404)
    let kept = try JSON(parsing: await backend.send(.get, "\(base)/a").body)
    #expect(kept["metageneration"] == "1")
  }

  @Test func oversizedMetadataIsRejected() async throws {
    _ = try await backend.send(.post, "\(base)?name=a", body: Data("x".utf8))
    let long = JSON.string(String(repeating: "x", count: 10_000))
    for metadata in [["cacheControl": long], ["metadata": ["k": long]]] as [JSON] {
      #expect(try await backend.send(.patch, "\(base)/a", body: metadata.serialized).status == 400)
    }
  }

  @Test func aRequestWithALineBreakInAFieldIsRejected() async throws {
    let thrown = await #expect(throws: TransportError.self) {
      try await backend.send(.get, "\(base)/a", headers: ["X-Any": "a\r\nX-Evil: 1"])
    }
    #expect(thrown?.code == .invalidRequest)
  }

  @Test(arguments: [
    "%00", "a%0Ab", "a%0Db", ".", "..", ".well-known/acme-challenge/x", String(repeating: "x", count: 1_025),
  ])
  func namesThatCloudStorageRejectsAreRejected(name: String) async throws {
    #expect(try await backend.send(.post, "\(base)?name=\(name)", body: Data()).status == 400)
  }

  @Test func anOversizedBoundaryIsRejected() async throws {
    let boundary = String(repeating: "b", count: 71)
    let headers = [
      "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=\(boundary)",
    ]
    let body = Data("--\(boundary)\r\n\r\n{}\r\n--\(boundary)\r\n\r\nx\r\n--\(boundary)--".utf8)
    #expect(try await backend.send(.post, "\(base)?name=a", body: body, headers: headers).status == 400)
  }
}
