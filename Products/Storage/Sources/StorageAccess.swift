import TenonAdminInterop
import TenonFoundation
import TenonStorageInterop

/// The implementation of `StorageInterop`, through which other products access Storage.
struct StorageAccess: StorageInterop {
  /// The app's buckets.
  let instances: StorageInstances
  /// On whose authority requests are made.
  var authority = Authority.user

  /// Downloads an object of any size into memory.
  ///
  /// - Returns: the content; `nil` if there is no such object.
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  func read(_ path: String, bucket: String?) async throws -> Data? {
    do {
      return try await reference(path, bucket).data(maxSize: .max)
    } catch let error as StorageError where error.code == .objectNotFound {
      return nil
    }
  }

  /// Uploads an object in one request, replacing any object at this path.
  ///
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  func write(_ content: Data, to path: String, bucket: String?, contentType: String?) async throws {
    _ = try await reference(path, bucket).putDataAsync(
      content, metadata: StorageMetadata(contentType: contentType))
  }

  /// Deletes an object.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  func delete(_ path: String, bucket: String?) async throws -> Bool {
    do {
      try await reference(path, bucket).delete()
      return true
    } catch let error as StorageError where error.code == .objectNotFound {
      return false
    }
  }

  /// Uploads a file in chunks, replacing any object at this path.
  ///
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  func upload(
    contentsOf file: URL, to path: String, bucket: String?, contentType: String?,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) async throws {
    _ = try await reference(path, bucket).putFileAsync(
      from: file, metadata: StorageMetadata(contentType: contentType),
      onProgress: Self.reporting(progress))
  }

  /// Downloads an object into a file, which is created or replaced when the download is complete.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`.
  func download(
    _ path: String, bucket: String?, to file: URL,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) async throws -> Bool {
    do {
      try await reference(path, bucket).writeAsync(
        toFile: file, onProgress: Self.reporting(progress))
      return true
    } catch let error as StorageError where error.code == .objectNotFound {
      return false
    }
  }

  /// Returns a closure that passes the numbers of a progress on.
  private static func reporting(
    _ progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) -> (@Sendable (OperationProgress) -> Void)? {
    guard let progress else { return nil }
    return { progress($0.completedUnitCount, $0.totalUnitCount) }
  }

  /// Returns the reference of a path in a bucket, or in the default bucket if `bucket` is `nil`.
  ///
  /// - Throws: ``StorageError/Code/invalidArgument`` if the bucket's name is malformed or there is no default
  ///   bucket.
  private func reference(_ path: String, _ bucket: String?) throws -> StorageReference {
    try instances.storage(bucket: bucket, as: authority).reference(withPath: path)
  }
}
