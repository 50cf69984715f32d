import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonStorage

@Suite(.limited) struct MetadataTests {
  private func object(_ answer: String) throws -> (object: StorageReference, transport: FakeTransport) {
    let transport = FakeTransport { _ in TransportResponse(status: 200, body: Data(answer.utf8)) }
    return (try bucket(transport).reference(withPath: "é/a b"), transport)
  }

  @Test(arguments: [
    "{}", #"{"name": "a b"}"#, #"{"name": "e\u0301/a b", "bucket": "b.c"}"#,
    #"{"name": "é/a b", "bucket": "other"}"#,
    #"{"name": "é/a b", "bucket": null}"#, #"{"name": ["é/a b"]}"#, #"{"bucket": "b.c"}"#,
  ])
  func aResponseThatDescribesAnotherObjectIsAnError(answer: String) async throws {
    let object = try object(answer).object
    for operation in [
      { _ = try await object.getMetadata() }, { _ = try await object.downloadURL() },
      { _ = try await object.updateMetadata(StorageMetadata(contentType: "a/b")) },
      { _ = try await object.createDownloadToken() }, { _ = try await object.revokeDownloadToken("t") },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: StorageError.self) { try await operation() }
      #expect(error?.code == .unknown && error?.message.contains("gs://b.c/é/a b") == true)
    }
  }

  @Test func everyFieldIsRead() async throws {
    let answer = metadataText(
      "é/a b",
      #"""
      "size": "12", "contentType": "a/b", "cacheControl": "c", "contentDisposition": "d", "contentEncoding": "e",
      "contentLanguage": "f", "metadata": {"k": "v", "n": 7}, "md5Hash": "m", "crc32c": "7", "etag": "t",
      "storageClass": "STANDARD", "downloadTokens": "s3cret1,s3cret2", "timeCreated": "2026-01-02T03:04:05.678Z"
      """#)
    let metadata = try await object(answer).object.getMetadata()
    #expect(
      metadata.bucket == "b.c" && metadata.path == "é/a b" && metadata.name == "a b" && metadata.size == 12)
    #expect(
      metadata.contentType == "a/b" && metadata.cacheControl == "c" && metadata.contentDisposition == "d")
    #expect(metadata.contentEncoding == "e" && metadata.contentLanguage == "f")
    #expect(
      metadata.customMetadata == ["k": "v", "n": "7"] && metadata.md5Hash == "m" && metadata.etag == "t")
    #expect(metadata.crc32c == "AAAABw==" && metadata.storageClass == "STANDARD")
    #expect(metadata.downloadTokens == ["s3cret1", "s3cret2"] && metadata.timeCreated != nil)
    for text in disclosedTexts(of: metadata) { #expect(!text.contains("s3cret"), "\(text)") }
  }

  @Test func tokensAreCreatedAndRevokedWithTheirValuesEncoded() async throws {
    let (object, transport) = try object(metadataText("é/a b", #""downloadTokens": "a+b&c""#))
    #expect(try await object.createDownloadToken().downloadTokens == ["a+b&c"])
    _ = try await object.revokeDownloadToken("a+b&c")
    let base = "https://firebasestorage.googleapis.com/v0/b/b.c/o/%C3%A9%2Fa%20b"
    #expect(transport.requests.allSatisfy { $0.method == .post })
    #expect(
      transport.requests.map(\.url.absoluteString) == [
        "\(base)?create_token=true", "\(base)?delete_token=a%2Bb%26c",
      ])
    #expect(try await object.downloadURL().absoluteString == "\(base)?alt=media&token=a%2Bb%26c")
  }

  @Test func namesThatNoReferenceCanHaveAreLeftOutOfLists() async throws {
    let answer =
      #"{"prefixes": ["é/a b/x/", "é/a b//", "é/a b/"], "items": [{"name": "é/a b/1", "bucket": "b.c"}, {"name": "é/a b//2"}, "#
      + #"{"name": "é/a b/"}], "nextPageToken": null}"#
    let page = try await object(answer).object.list(maxResults: 9)
    #expect(page.prefixes.map(\.fullPath) == ["é/a b/x"] && page.items.map(\.fullPath) == ["é/a b/1"])
    #expect(page.pageToken == nil)
  }

  @Test(arguments: [
    #"{"items": {}}"#, #"{"items": "x"}"#, #"{"items": [{}]}"#, #"{"items": [7]}"#, #"{"prefixes": [7]}"#,
    #"{"items": [{"name": "other"}]}"#, #"{"prefixes": ["other/"]}"#,
    #"{"items": [{"name": "é/a b/1", "bucket": "x"}]}"#,
  ])
  func aResponseThatIsNoPageOfTheListingIsAnError(answer: String) async throws {
    let object = try object(answer).object
    let error = await #expect(throws: StorageError.self) { try await object.listAll() }
    #expect(error?.code == .unknown && error?.message.contains("page of this listing") == true)
  }
}
