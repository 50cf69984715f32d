#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Keeps whole objects by path in an app's buckets, for other products.
///
/// The contract, for implementers:
/// - A path is slash-separated, without empty segments; a bucket of `nil` is the app's default bucket.
/// - What ``write(_:to:bucket:contentType:)`` returned from is what ``read(_:bucket:)`` gives afterwards.
/// - Reading and deleting an object that isn't there is told apart from failing: `nil` and `false`.
public protocol StorageInterop: Sendable {
  /// The object's content; `nil` when there is no such object.
  ///
  /// - Throws: the provider's error when the object can't be read; `CancellationError`.
  func read(_ path: String, bucket: String?) async throws -> Data?

  /// Writes an object, replacing what was there.
  ///
  /// - Parameter contentType: the media type, `application/octet-stream` when `nil`.
  /// - Throws: the provider's error when the object can't be written; `CancellationError`.
  func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws

  /// Deletes an object. Returns whether there was one.
  ///
  /// - Throws: the provider's error when the object can't be deleted; `CancellationError`.
  @discardableResult
  func delete(_ path: String, bucket: String?) async throws -> Bool
}
