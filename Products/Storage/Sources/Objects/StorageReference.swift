/// An object's place in a bucket, or a folder's, whether there is something or not.
public struct StorageReference: Sendable {
  /// The bucket's storage.
  public let storage: Storage
  /// The path in the bucket without slashes at its ends; empty for the root.
  public let fullPath: String

  init(storage: Storage, path: String) throws(StorageError) {
    self.storage = storage
    fullPath = path.split(separator: "/").joined(separator: "/")
    // The limits of Cloud Storage (https://cloud.google.com/storage/docs/objects#naming).
    guard fullPath.utf8.count <= 1024, !fullPath.contains(where: { $0 == "\r" || $0 == "\n" || $0 == "\r\n" })
    else {
      throw StorageError(
        .pathError,
        "\"\(path.prefix(80))\" can't be an object's path: at most 1,024 bytes, without line breaks."
      )
    }
  }

  private init(storage: Storage, normalized: String) {
    self.storage = storage
    fullPath = normalized
  }

  /// The last part of the path.
  public var name: String { fullPath.split(separator: "/").last.map(String.init) ?? "" }

  /// The bucket's name.
  public var bucket: String { storage.bucket }

  /// The folder that this lies in; `nil` for the root.
  public var parent: StorageReference? {
    guard !fullPath.isEmpty else { return nil }
    let parts = fullPath.split(separator: "/").dropLast()
    return StorageReference(storage: storage, normalized: parts.joined(separator: "/"))
  }

  /// The bucket's root.
  public var root: StorageReference { StorageReference(storage: storage, normalized: "") }

  /// A place below this one.
  ///
  /// - Throws: ``StorageError`` with ``StorageError/Code/pathError``.
  public func child(_ path: String) throws -> StorageReference {
    try StorageReference(storage: storage, path: "\(fullPath)/\(path)")
  }

  /// The place as `gs://bucket/path`.
  public var url: String { "gs://\(bucket)/\(fullPath)" }

  /// Objects have names; the root has none.
  func checkIsObject() throws(StorageError) {
    guard !fullPath.isEmpty else {
      throw StorageError(.invalidArgument, "The root of \(bucket) is no object; name one with child(_:).")
    }
  }
}

extension StorageReference: Hashable {
  /// Whether both mean the same place in the same bucket of the same app.
  public static func == (left: StorageReference, right: StorageReference) -> Bool {
    left.storage === right.storage && left.fullPath == right.fullPath
  }

  /// Feeds the place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bucket)
    hasher.combine(fullPath)
  }
}
