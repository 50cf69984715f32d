#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Stores objects by path in an app's buckets, for other products.
///
/// Requirements for implementations:
/// - A path consists of non-empty segments separated by slashes. A bucket of `nil` is the app's default
///   bucket.
/// - After ``write(_:to:bucket:contentType:)`` or ``upload(contentsOf:to:bucket:contentType:progress:)`` has
///   returned, ``read(_:bucket:)`` and ``download(_:bucket:to:progress:)`` return what was written.
/// - A missing object isn't an error: reading it returns `nil`, and downloading or deleting it returns
///   `false`.
/// - A transfer whose bytes were changed on the way throws. An upload that throws leaves the previous object,
///   and a download that throws leaves the previous file, or none if there was none.
/// - The memory that the transfer of a file uses doesn't depend on the file's size.
/// - All functions may be called from any task, concurrently.
public protocol StorageInterop: Sendable {
  /// Returns the content of an object; `nil` if the object doesn't exist.
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

  /// Deletes an object and returns whether it existed.
  ///
  /// - Throws: the provider's error if the object can't be deleted; `CancellationError`.
  @discardableResult
  func delete(_ path: String, bucket: String?) async throws -> Bool

  /// Uploads a file as an object, replacing any object at the same path.
  ///
  /// - Parameters:
  ///   - file: the file, which must not change during the upload.
  ///   - path: the object's path.
  ///   - bucket: the bucket's name; the default bucket if `nil`.
  ///   - contentType: the media type; `application/octet-stream` if `nil`.
  ///   - progress: called on any thread with the number of bytes that were transferred, which never
  ///     decreases, and the total number; `nil` to report nothing.
  /// - Throws: the provider's error if the file can't be read or the object can't be written;
  ///   `CancellationError`.
  func upload(
    contentsOf file: URL, to path: String, bucket: String?, contentType: String?,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) async throws

  /// Downloads an object into a file, which is created, or replaced when the download is complete.
  ///
  /// - Parameters:
  ///   - path: the object's path.
  ///   - bucket: the bucket's name; the default bucket if `nil`.
  ///   - file: the file. Its directory must exist.
  ///   - progress: called on any thread with the number of bytes that were transferred, which never
  ///     decreases, and the total number, which is `nil` if it isn't known; `nil` to report nothing.
  /// - Returns: whether there was an object. If there was none, the file is left as it is.
  /// - Throws: the provider's error if the object can't be read or the file can't be written;
  ///   `CancellationError`.
  func download(
    _ path: String, bucket: String?, to file: URL,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) async throws -> Bool
}
