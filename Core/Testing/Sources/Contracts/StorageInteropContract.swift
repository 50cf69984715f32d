public import TenonStorageInterop
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contract of `StorageInterop` as a test that every implementation can run.
///
/// The check covers missing objects, replacement, empty content, special characters in paths and separate buckets.
///
/// Not covered: the stored content type, which the interop can't read, large objects, and concurrent calls.
///
/// ```swift
/// @Test func storageKeepsTheContract() async throws {
///   try await StorageInteropContract.check(FakeStorage(), otherBucket: "other")
/// }
/// ```
public enum StorageInteropContract {
  /// Checks an implementation. Violations are recorded as issues of the running test.
  ///
  /// The path of the object has a space, a letter outside ASCII, and the characters `+` and `%`, which URLs and forms
  /// encode differently. Its first content has bytes that aren't UTF-8, and a line break and two hyphens, as the
  /// delimiters of a multipart body have (RFC 2046, section 5.1.1).
  ///
  /// - Parameters:
  ///   - storage: the implementation. It must have no objects below `contract/`; the check leaves none there.
  ///   - otherBucket: the name of an existing bucket other than the default one.
  /// - Throws: the errors of the implementation. Objects below `contract/` may then remain.
  public static func check(_ storage: any StorageInterop, otherBucket: String) async throws {
    let path = "contract/a b/ü+%/object.bin"
    #expect(try await storage.read(path, bucket: nil) == nil, "reading a missing object returns nil")
    #expect(try await storage.delete(path, bucket: nil) == false, "deleting a missing object returns false")

    for content in [Data([0, 255, 13, 10, 45, 45]), Data("newer".utf8), Data()] {
      try await storage.write(content, to: path, bucket: nil, contentType: "text/plain")
      #expect(try await storage.read(path, bucket: nil) == content, "reading returns what was written")
    }
    #expect(try await storage.read(path, bucket: otherBucket) == nil, "buckets are separate")
    try await storage.write(Data("other".utf8), to: path, bucket: otherBucket, contentType: nil)
    #expect(try await storage.read(path, bucket: nil) == Data(), "buckets are separate")

    #expect(try await storage.delete(path, bucket: nil), "deleting an object returns true")
    #expect(try await storage.read(path, bucket: nil) == nil, "a deleted object is missing")
    #expect(try await storage.read(path, bucket: otherBucket) == Data("other".utf8), "buckets are separate")
    try await storage.delete(path, bucket: otherBucket)
  }
}
