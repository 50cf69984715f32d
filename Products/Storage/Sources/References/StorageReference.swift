/// A reference to an object or a folder in a bucket, whether it exists or not.
///
/// Creating a reference contacts no server and never fails. An invalid path is reported by the first operation, with
/// ``StorageError/Code/pathError``.
public struct StorageReference: Sendable {
  /// The storage that the reference belongs to.
  public let storage: Storage
  /// The path in the bucket, without slashes at its ends; empty for the root.
  public let fullPath: String

  /// Creates a reference. Slashes at the ends of the path and consecutive slashes are ignored.
  init(storage: Storage, path: String) {
    self.storage = storage
    fullPath = path.split(separator: "/").joined(separator: "/")
  }

  /// The last segment of the path; empty for the root.
  public var name: String { fullPath.split(separator: "/").last.map(String.init) ?? "" }

  /// The bucket's name.
  public var bucket: String { storage.bucket }

  /// Returns a reference to the root of the bucket.
  public func root() -> StorageReference { StorageReference(storage: storage, path: "") }

  /// Returns a reference to the enclosing folder, or `nil` if this is the root.
  public func parent() -> StorageReference? {
    guard !fullPath.isEmpty else { return nil }
    let parts = fullPath.split(separator: "/").dropLast()
    return StorageReference(storage: storage, path: parts.joined(separator: "/"))
  }

  /// Returns a reference to an object or a folder below this one.
  ///
  /// - Parameter path: a path relative to this reference, with segments separated by slashes.
  public func child(_ path: String) -> StorageReference {
    StorageReference(storage: storage, path: "\(fullPath)/\(path)")
  }

  /// Checks the limits of Cloud Storage (https://cloud.google.com/storage/docs/objects#naming): at most 1,024 bytes of UTF-8,
  /// and no line breaks.
  ///
  /// - Throws: ``StorageError/Code/pathError``.
  func checkPath() throws(StorageError) {
    guard fullPath.utf8.count <= 1024, !fullPath.contains(where: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" })
    else {
      throw StorageError(
        .pathError,
        "\"\(fullPath.prefix(80))\" can't be the path of an object: paths have at most 1,024 bytes and no line breaks."
      )
    }
  }

  /// Checks that the reference can identify an object.
  ///
  /// - Throws: ``StorageError/Code/pathError``; ``StorageError/Code/invalidArgument`` for the root.
  func checkObject() throws(StorageError) {
    guard !fullPath.isEmpty else {
      throw StorageError(.invalidArgument, "The root of \(bucket) is not an object. Name one with child(_:).")
    }
    try checkPath()
  }
}

extension StorageReference: Hashable {
  /// Whether two references have the same path in the same bucket of the same app.
  public static func == (left: StorageReference, right: StorageReference) -> Bool {
    left.storage === right.storage && left.fullPath == right.fullPath
  }

  /// Hashes the bucket and the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bucket)
    hasher.combine(fullPath)
  }
}

extension StorageReference: CustomStringConvertible {
  /// The reference as `gs://bucket/path`.
  public var description: String { "gs://\(bucket)/\(fullPath)" }
}
