import Foundation
import TenonCore
import TenonStorageInterop
import Testing

@testable import TenonStorage

struct InstancesTests {
  private func app(_ name: String, bucket: String? = nil) throws -> App {
    try App.configure(
      named: name,
      options: AppOptions(projectID: "demo", storageBucket: bucket, data: .memory),
      libraries: [StorageLibrary.self]
    )
  }

  @Test func anAppHasOneInstancePerBucket() async throws {
    let app = try app("storage-buckets", bucket: "demo.appspot.com")
    let storage = try Storage.storage(app: app)
    #expect(storage.bucket == "demo.appspot.com")
    #expect(try Storage.storage(app: app, url: "gs://demo.appspot.com") === storage)
    #expect(try Storage.storage(app: app, url: "gs://other-bucket/").bucket == "other-bucket")
    await app.delete()
  }

  @Test(arguments: ["other", "gs://", "gs://a/b", "https://x.org", "gs://Upper"])
  func aBadURLIsRefused(url: String) async throws {
    let app = try app("storage-url-\(UUID())", bucket: "b.c")
    let thrown = #expect(throws: StorageError.self) { try Storage.storage(app: app, url: url) }
    #expect(thrown?.code == .invalidArgument)
    await app.delete()
  }

  @Test func aMissingDefaultBucketIsAnErrorThatSaysWhatToDo() async throws {
    let app = try app("storage-no-bucket")
    let thrown = #expect(throws: StorageError.self) { try Storage.storage(app: app) }
    #expect(thrown?.message.contains("AppOptions.storageBucket") == true)
    #expect(try app.resolve((any StorageInterop).self) is StorageAccess)
    await app.delete()
  }

  @Test func theLibraryIsLinked() {
    #expect(LibraryRegistry.libraries.contains { $0 == StorageLibrary.self })
  }
}
