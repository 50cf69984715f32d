import TenonCore
public import TenonStorageInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An implementation of `StorageInterop` that keeps objects in memory, for tests. It can be used from any thread.
///
/// No bucket has to be created, and `nil` is a bucket of its own. No function throws, and paths aren't validated. Each
/// call is atomic: a concurrent reader receives the old or the new content as a whole.
public final class FakeStorage: StorageInterop {
  /// The bucket and the path of an object.
  private struct Name: Hashable {
    let bucket: String?
    let path: String
  }

  /// The contents of the objects, which are kept until they are deleted or the storage is released.
  private let objects = Lock<[Name: Data]>([:])

  /// Creates a storage without objects.
  public init() {}

  /// Returns the content of an object, or `nil` if there is no such object.
  ///
  /// - Parameters:
  ///   - path: the object's path, which is compared exactly.
  ///   - bucket: the name of the bucket.
  public func read(_ path: String, bucket: String?) async throws -> Data? {
    objects.withLock { $0[Name(bucket: bucket, path: path)] }
  }

  /// Stores an object and replaces any object at its path.
  ///
  /// - Parameters:
  ///   - content: the content.
  ///   - path: the object's path, which is compared exactly.
  ///   - bucket: the name of the bucket.
  ///   - contentType: the media type, which is ignored.
  public func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws {
    objects.withLock { $0[Name(bucket: bucket, path: path)] = content }
  }

  /// Deletes an object and returns whether there was one.
  ///
  /// - Parameters:
  ///   - path: the object's path, which is compared exactly.
  ///   - bucket: the name of the bucket.
  @discardableResult
  public func delete(_ path: String, bucket: String?) async throws -> Bool {
    objects.withLock { $0.removeValue(forKey: Name(bucket: bucket, path: path)) != nil }
  }
}
