#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores objects by path in an app's buckets, for other products.
///
/// Requirements for implementations:
/// - A path consists of non-empty segments separated by slashes. A bucket of `nil` is the app's default bucket.
/// - After ``write(_:to:bucket:contentType:)`` has returned, ``read(_:bucket:)`` returns what was written.
/// - A missing object is not an error: reading it returns `nil`, and deleting it returns `false`.
/// - All functions may be called from any task, concurrently.
public protocol StorageInterop: Sendable {
  /// Returns the content of an object; `nil` if the object does not exist.
  ///
  /// - Throws: the provider's error if the object cannot be read; `CancellationError`.
  func read(_ path: String, bucket: String?) async throws -> Data?

  /// Writes an object, replacing any object at the same path.
  ///
  /// - Parameters:
  ///   - content: the bytes of the object.
  ///   - path: the object's path.
  ///   - bucket: the bucket's name; the default bucket if `nil`.
  ///   - contentType: the media type; `application/octet-stream` if `nil`.
  /// - Throws: the provider's error if the object can't be written; `CancellationError`.
  func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws

  /// Deletes an object and returns whether it existed.
  ///
  /// - Throws: the provider's error if the object cannot be deleted; `CancellationError`.
  @discardableResult
  func delete(_ path: String, bucket: String?) async throws -> Bool
}
