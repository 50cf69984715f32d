import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct ReferenceTests {
  private func storage() throws -> Storage {
    try bucket(FakeTransport { _ in TransportResponse(status: 500) })
  }

  /// Each byte of UTF-8 that a path may contain, between others.
  private static var paths: [String] {
    let ascii = (1..<128).filter { ![10, 13].contains($0) }.map { "x\(UnicodeScalar(UInt8($0)))y" }
    let wide = [0x80, 0x7FF, 0x800, 0xFFFD, 0x10000, 0x10FFFF, 0x301, 0x2028].compactMap(UnicodeScalar.init)
      .map {
        "x\($0)y"
      }
    return ascii + wide + [
      "a%2Fb", "%", "%zz", "a/.", "a/../b", "/a//b/", "é", "e\u{301}", "a/\u{301}b", "👩‍👩‍👧",
    ]
  }

  @Test func everyPathSurvivesItsURLs() throws {
    let storage = try storage()
    for path in Self.paths {
      let object = storage.reference(withPath: path)
      let url = try storage.client.url(of: object, .object)
      #expect(try storage.reference(forURL: url.absoluteString) == object, "\(path.debugDescription)")
      #expect(try storage.reference(for: url) == object)
      #expect(try storage.reference(forURL: "gs://b.c/\(object.fullPath)") == object)
      let plain =
        "https://storage.googleapis.com/b.c/\(PercentEncoding.segment(object.fullPath))?generation=7#x"
      #expect(try storage.reference(forURL: plain) == object)
      // Encoded as one segment.
      #expect(url.absoluteString.split(separator: "/").count == 7)
    }
  }

  @Test func randomPathsSurviveTheirURLs() throws {
    var random = SeededGenerator(seed: TestSeeds.first)
    let storage = try storage()
    for _ in 0..<500 {
      let path = String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 1...20, using: &random)).compactMap { _ in
            UnicodeScalar(UInt32.random(in: 32...0x2FFF, using: &random))
          }))
      let object = storage.reference(withPath: path)
      guard !object.fullPath.isEmpty else { continue }
      let url = try storage.client.url(of: object, .object)
      #expect(try storage.reference(forURL: url.absoluteString) == object, "\(path.debugDescription)")
    }
  }

  @Test(arguments: [
    ("https://storage.googleapis.com/b.c/a/b%20c", "a/b c"),
    ("https://storage.googleapis.com/b.c/a%2Fb", "a/b"),
    ("https://storage.cloud.google.com/b.c/a", "a"), ("https://storage.googleapis.com/b.c", ""),
    ("HTTPS://STORAGE.googleapis.com/b.c/a?x=1#y", "a"),
    ("http://localhost:9199/v0/b/b.c/o/a%2Fb?alt=media", "a/b"),
    ("http://[::1]:9199/v0/b/b.c/o/a", "a"),
    ("http://localhost:9199/v0/b/b.c/o/a/b%20c/d?alt=media", "a/b c/d"),
    ("https://firebasestorage.googleapis.com/v0/b/b.c/o/a/b%2Fc.png", "a/b/c.png"),
    ("http://localhost:9199/v0/b/b.c/o", ""), ("http://localhost:9199/v0/b/b.c/o/", ""),
  ])
  func urlsOfTheServiceAndOfEmulatorsAreParsed(url: String, path: String) throws {
    #expect(try storage().reference(forURL: url).fullPath == path)
  }

  @Test(arguments: [
    "https://storage.googleapis.com/", "https://storage.googleapis.com/v0/b/b.c/a",
    "https://storage.googleapis.com/b.c/%FF", "https://storage.googleapis.com.x.org/b.c/a",
    "https:///v0/b/b.c/o/a",
  ])
  func otherURLsAreErrors(url: String) throws {
    let error = #expect(throws: StorageError.self) { try storage().reference(forURL: url) }
    #expect(error?.code == .invalidArgument)
  }

  /// Servers separate bytes, and Swift joins a slash and an accent to one character.
  @Test func pathsAreSeparatedByScalars() throws {
    let storage = try storage()
    let object = storage.reference(withPath: "a//\u{301}b/")
    #expect(object.fullPath.unicodeScalars.elementsEqual("a/\u{301}b".unicodeScalars))
    #expect(
      object.parent()?.fullPath == "a" && object.name.unicodeScalars.elementsEqual("\u{301}b".unicodeScalars))
    #expect(storage.reference(withPath: "é") != storage.reference(withPath: "e\u{301}"))
  }

  @Test func descriptionsHaveOneLine() throws {
    let path = "a\n\r\n\0\u{1B}\u{7F}\u{85}\u{2028}\u{2029}b"
    let text = try storage().reference(withPath: path).description
    #expect(text == "gs://b.c/a\\u{0A}\\u{0D}\\u{0A}\\u{00}\\u{1B}\\u{7F}\\u{85}\\u{2028}\\u{2029}b")
  }

  @Test(arguments: [".", "..", "a\0b", "a\n", ".well-known/acme-challenge/x"])
  func pathsThatServersRefuseAreErrors(path: String) async throws {
    let object = try storage().reference(withPath: path)
    let error = await #expect(throws: StorageError.self) { try await object.delete() }
    #expect(error?.code == .pathError)
    await #expect(throws: StorageError.self) {
      try await object.write(toFile: URL(filePath: "/nowhere")).value
    }
  }
}
