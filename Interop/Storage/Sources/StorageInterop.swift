#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores whole objects by path in an app's buckets, for other products.
///
/// The contract, for implementers:
/// - A path consists of segments separated by slashes, none of them empty. A bucket of `nil` is the app's default bucket.
/// - After ``write(_:to:bucket:contentType:)`` returns, ``read(_:bucket:)`` returns what was written.
/// - A missing object is not an error: reading it returns `nil`, and deleting it returns `false`.
/// - Calls may be made from any task, concurrently.
public protocol StorageInterop: Sendable {
  /// Returns the content of an object, or `nil` if there is no such object.
  ///
  /// - Throws: the provider's error if the object can't be read; `CancellationError`.
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

  /// Deletes an object and returns whether there was one.
  ///
  /// - Throws: the provider's error if the object can't be deleted; `CancellationError`.
  @discardableResult
  func delete(_ path: String, bucket: String?) async throws -> Bool
}
