import Foundation
import TenonCore
import TenonStorageInterop
import TenonTestSupport
import Testing

@testable import TenonStorage

@Suite(.limited) struct InstancesTests {
  private func app(_ name: String, bucket: String? = nil) throws -> App {
    try App.configure(
      name: name,
      options: AppOptions(projectID: "demo", storageBucket: bucket, data: .memory),
      libraries: [StorageLibrary.self]
    )
  }

  @Test func appHasOneInstancePerBucket() async throws {
    let app = try app("storage-buckets", bucket: "demo.appspot.com")
    let storage = try Storage.storage(app: app)
    #expect(storage.bucket == "demo.appspot.com")
    #expect(try Storage.storage(app: app, url: "gs://demo.appspot.com") === storage)
    #expect(try Storage.storage(app: app, url: "gs://other-bucket/").bucket == "other-bucket")
    await app.delete()
  }

  @Test(arguments: ["other", "gs://", "gs://a/b", "https://x.org", "gs://Upper"])
  func malformedURLIsAnError(url: String) async throws {
    let app = try app("storage-url-\(UUID())", bucket: "b.c")
    let thrown = #expect(throws: StorageError.self) { try Storage.storage(app: app, url: url) }
    #expect(thrown?.code == .invalidArgument)
    await app.delete()
  }

  @Test func missingDefaultBucketIsAnErrorThatSaysWhatToDo() async throws {
    let app = try app("storage-no-bucket")
    let thrown = #expect(throws: StorageError.self) { try Storage.storage(app: app) }
    #expect(thrown?.message.contains("AppOptions.storageBucket") == true)
    #expect(try app.resolve((any StorageInterop).self) is StorageAccess)
    await app.delete()
  }

  @Test func libraryIsRegistered() {
    #expect(LibraryRegistry.libraries.contains { $0.type == StorageLibrary.self })
  }

  @Test(
    arguments: [
      ("gs://b.c/a/b c", "a/b c"), ("gs://b.c", ""), ("gs://b.c/", ""), ("gs://b.c//a//b/", "a/b"),
      ("https://firebasestorage.googleapis.com/v0/b/b.c/o/a%2Fb%20c%3F?alt=media&token=t", "a/b c?"),
      ("http://127.0.0.1:9199/v0/b/b.c/o/a", "a"), ("https://firebasestorage.googleapis.com/v0/b/b.c/o", ""),
    ])
  func referenceOfAURLHasItsPath(url: String, path: String) async throws {
    let app = try app("storage-reference-\(UUID())", bucket: "b.c")
    let storage = try Storage.storage(app: app)
    #expect(try storage.reference(forURL: url).fullPath == path)
    if let parsed = URL(string: url) { #expect(try storage.reference(for: parsed).fullPath == path) }
    await app.delete()
  }

  @Test(
    arguments: [
      "", "a", "b.c/a", "gs://", "ftp://b.c/a", "https://b.c/a", "https://x.org/v0/b/b.c/a",
      "https://x.org/v1/b/b.c/o/a", "https://x.org/v0/b/b.c/o/%FF",
    ])
  func malformedReferenceURLIsAnError(url: String) async throws {
    let app = try app("storage-reference-\(UUID())", bucket: "b.c")
    let thrown = #expect(throws: StorageError.self) { try Storage.storage(app: app).reference(forURL: url) }
    #expect(thrown?.code == .invalidArgument)
    await app.delete()
  }

  @Test func referenceURLOfAnotherBucketIsAnError() async throws {
    let app = try app("storage-other-bucket", bucket: "b.c")
    let thrown = #expect(throws: StorageError.self) {
      try Storage.storage(app: app).reference(forURL: "gs://other/a")
    }
    #expect(thrown?.code == .bucketMismatch && thrown?.message.contains("gs://other") == true)
    await app.delete()
  }
}
