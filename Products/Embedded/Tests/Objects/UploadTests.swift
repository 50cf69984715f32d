import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct UploadTests {
  private let backend = Backend()
  private let base = "https://firebasestorage.googleapis.com/v0/b/demo.appspot.com/o"

  private func bytes(_ count: Int) -> Data {
    Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
  }

  private func content(of name: String) async throws -> Data {
    try await backend.send(.get, "\(base)/\(name)?alt=media").body
  }

  @Test func aBodyBecomesAnObject() async throws {
    let response = try await backend.send(
      .post,
      "\(base)?name=notes%2Fa.txt",
      body: Data("hello".utf8),
      headers: ["Content-Type": "text/plain"]
    )
    #expect(response.status == 200)
    let json = try JSON(parsing: response.body)
    #expect(json["name"] == "notes/a.txt")
    #expect(json["bucket"] == "demo.appspot.com")
    #expect(json["size"] == "5")
    #expect(json["contentType"] == "text/plain")
    #expect(json["md5Hash"] == "XUFAKrxLKna5cZ2REBfFkg==")
    #expect(json["crc32c"] == "mnG7TA==")
    #expect(json["metageneration"] == "1")
    #expect(json["timeCreated"] == "2023-11-14T22:13:20.000Z")
    #expect(json["contentDisposition"] == "inline")
    #expect(json["downloadTokens"]?.string?.count == 36)
    #expect(try await content(of: "notes%2Fa.txt") == Data("hello".utf8))
  }

  @Test(arguments: [0, 1, 1 << 20, (1 << 20) + 1, 3_000_000])
  func anObjectOfAnySizeIsReturnedCompletely(size: Int) async throws {
    let bytes = bytes(size)
    _ = try await backend.send(.post, "\(base)?name=a", body: bytes)
    #expect(try await content(of: "a") == bytes)
  }

  @Test func aFileIsUploaded() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
    let file = URL(fileURLWithPath: "\(directory.path)/file")
    let bytes = bytes(2_500_000)
    try bytes.write(to: file)
    let url = try #require(URL(string: "\(base)?name=a"))
    #expect(try await backend.embedded.send(TransportRequest(.post, url, body: .file(file))).status == 200)
    #expect(try await content(of: "a") == bytes)
    let missing = TransportRequest(.post, url, body: .file(URL(fileURLWithPath: "\(directory.path)/none")))
    let error = await #expect(throws: TransportError.self) { try await backend.embedded.send(missing) }
    #expect(error?.code == .invalidRequest)
  }

  @Test(arguments: ["x", "\"x\"", "'x'"])
  func aMultipartBodyHasItsMetadata(boundary: String) async throws {
    var body = Data("--x\r\nContent-Type: application/json; charset=utf-8\r\n\r\n".utf8)
    body += Data(#"{"contentType":"image/png","cacheControl":null,"metadata":{"owner":"ada"}}"#.utf8)
    body += Data("\r\n--x\r\nContent-Type: text/plain\r\n\r\n".utf8)
    let content = Data([0, 13, 10, 45, 45, 255, 13, 10, 13, 10])
    body += content + Data("\r\n--x--".utf8)
    let response = try await backend.send(
      .post,
      "\(base)?name=a",
      body: body,
      headers: [
        "X-Goog-Upload-Protocol": "multipart", "Content-Type": "multipart/related; boundary=\(boundary)",
      ]
    )
    let json = try JSON(parsing: response.body)
    #expect(json["contentType"] == "image/png")
    #expect(json["cacheControl"] == nil)
    #expect(json["metadata"] == ["owner": "ada"])
    #expect(try await self.content(of: "a") == content)
  }

  @Test(arguments: [
    ("text/plain", "--x\r\n\r\n{}\r\n--x--", "Bad content type. text/plain"),
    ("multipart/related; boundary=x", "--x\r\n\r\n{}\r\n--x--", "Unexpected number of parts in request body"),
    (
      "multipart/related; boundary=x", "--x\r\n\r\n{}\r\n--x\r\n\r\na\r\n--x\r\n\r\nb\r\n--x--",
      "Unexpected number of parts in request body"
    ),
    ("multipart/related; boundary=x", "nothing", "Unexpected number of parts in request body"),
  ])
  func aMalformedMultipartBodyIsRejected(type: String, body: String, message: String) async throws {
    let response = try await backend.send(
      .post,
      "\(base)?name=a",
      body: Data(body.utf8),
      headers: ["X-Goog-Upload-Protocol": "multipart", "Content-Type": type]
    )
    #expect(response.status == 400)
    #expect(try JSON(parsing: response.body).errorMessage == message)
  }

  @Test func newContentReplacesTheOldContent() async throws {
    let first = try JSON(parsing: await backend.send(.post, "\(base)?name=a", body: bytes(2_000_000)).body)
    let second = try JSON(parsing: await backend.send(.post, "\(base)?name=a", body: Data("new".utf8)).body)
    #expect(try await content(of: "a") == Data("new".utf8))
    #expect(Int64(second["generation"]?.string ?? "") ?? 0 > Int64(first["generation"]?.string ?? "") ?? .max)
    #expect(first["etag"] != second["etag"])
  }

  @Test func bucketsAreSeparate() async throws {
    _ = try await backend.send(.post, "\(base)?name=a", body: Data("one".utf8))
    let other = "https://firebasestorage.googleapis.com:443/v0/b/other/o"
    #expect(try await backend.send(.get, "\(other)/a").status == 404)
    _ = try await backend.send(.post, "\(other)?name=a", body: Data("two".utf8))
    #expect(try await content(of: "a") == Data("one".utf8))
  }

  @Test func objectsSurviveARestart() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let first = Backend(directory: directory.path)
    let bytes = bytes(1_500_000)
    _ = try await first.send(.post, "\(base)?name=a", body: bytes)
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    #expect(try await second.send(.get, "\(base)/a?alt=media").body == bytes)
  }
}
