import TenonCore
public import TenonStorageInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An implementation of `StorageInterop` that keeps objects in memory.
public final class FakeStorage: StorageInterop {
  private struct Name: Hashable {
    let bucket: String?
    let path: String
  }

  private let objects = Lock<[Name: Data]>([:])

  /// Creates a storage without objects.
  public init() {}

  /// Returns the content of an object, or `nil` if there is no such object.
  public func read(_ path: String, bucket: String?) async throws -> Data? {
    objects.withLock { $0[Name(bucket: bucket, path: path)] }
  }

  /// Stores an object. The media type is ignored.
  public func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws {
    objects.withLock { $0[Name(bucket: bucket, path: path)] = content }
  }

  /// Deletes an object and returns whether there was one.
  @discardableResult
  public func delete(_ path: String, bucket: String?) async throws -> Bool {
    objects.withLock { $0.removeValue(forKey: Name(bucket: bucket, path: path)) != nil }
  }
}
