import TenonCore
public import TenonStorageInterop

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A ``StorageInterop`` that keeps objects in memory.
public final class FakeStorage: StorageInterop {
  private struct Name: Hashable {
    let bucket: String?
    let path: String
  }

  private let objects = Lock<[Name: Data]>([:])

  /// There are no objects at first.
  public init() {}

  /// The object's content; `nil` when there is none.
  public func read(_ path: String, bucket: String?) async throws -> Data? {
    objects.withLock { $0[Name(bucket: bucket, path: path)] }
  }

  /// Keeps the content; the media type is ignored.
  public func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws {
    objects.withLock { $0[Name(bucket: bucket, path: path)] = content }
  }

  /// Forgets the object.
  @discardableResult
  public func delete(_ path: String, bucket: String?) async throws -> Bool {
    objects.withLock { $0.removeValue(forKey: Name(bucket: bucket, path: path)) != nil }
  }
}
