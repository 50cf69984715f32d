public import TenonStorageInterop
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What every ``StorageInterop`` must do, as a test.
public enum StorageInteropContract {
  /// Checks an implementation; what it breaks is recorded as an issue of the running test.
  ///
  /// - Parameters:
  ///   - storage: the implementation, without objects under `contract/`.
  ///   - otherBucket: a bucket that is not the default one.
  public static func check(_ storage: any StorageInterop, otherBucket: String) async throws {
    let path = "contract/a b/ü+%/object.bin"
    #expect(try await storage.read(path, bucket: nil) == nil, "what isn't there reads as nil")
    #expect(try await storage.delete(path, bucket: nil) == false, "what isn't there can't be deleted")

    for content in [Data([0, 255, 13, 10, 45, 45]), Data("newer".utf8), Data()] {
      try await storage.write(content, to: path, bucket: nil, contentType: "text/plain")
      #expect(try await storage.read(path, bucket: nil) == content, "what was written is read")
    }
    #expect(try await storage.read(path, bucket: otherBucket) == nil, "buckets are separate")
    try await storage.write(Data("other".utf8), to: path, bucket: otherBucket, contentType: nil)
    #expect(try await storage.read(path, bucket: nil) == Data(), "buckets are separate")

    #expect(try await storage.delete(path, bucket: nil), "what is there is deleted")
    #expect(try await storage.read(path, bucket: nil) == nil, "what was deleted is gone")
    #expect(try await storage.read(path, bucket: otherBucket) == Data("other".utf8), "buckets are separate")
    try await storage.delete(path, bucket: otherBucket)
  }
}
