public import TenonFoundation
public import TenonStorageInterop

/// An implementation of `StorageInterop` that keeps objects in memory, for tests. It can be used from any
/// thread.
///
/// No bucket has to be created, and `nil` is a separate bucket. Only the functions
/// with files throw, with Foundation's errors of the file, and paths aren't validated. Each
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

  /// Stores the content of a file, which is read into memory, and replaces any object at the path.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - path: the object's path, which is compared exactly.
  ///   - bucket: the name of the bucket.
  ///   - contentType: the media type, which is ignored.
  ///   - progress: called once, with the whole size.
  public func upload(
    contentsOf file: URL, to path: String, bucket: String?, contentType: String?,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) async throws {
    let content = try Data(contentsOf: file)
    try await write(content, to: path, bucket: bucket, contentType: contentType)
    progress?(Int64(content.count), Int64(content.count))
  }

  /// Writes the content of an object to a file, and returns whether there was one.
  ///
  /// - Parameters:
  ///   - path: the object's path, which is compared exactly.
  ///   - bucket: the name of the bucket.
  ///   - file: the file, which is replaced atomically.
  ///   - progress: called once, with the whole size.
  public func download(
    _ path: String, bucket: String?, to file: URL,
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)?
  ) async throws -> Bool {
    guard let content = try await read(path, bucket: bucket) else { return false }
    try content.write(to: file, options: .atomic)
    progress?(Int64(content.count), Int64(content.count))
    return true
  }
}
