/// A reference to an object or a folder in a bucket, whether it exists or not.
///
/// Creating a reference contacts no server and never fails. An invalid path is reported by the first
/// operation, with ``StorageError/Code/pathError``.
public struct StorageReference: Sendable {
  /// The storage that the reference belongs to.
  public let storage: Storage
  /// The path in the bucket, without slashes at its ends; empty for the root.
  public let fullPath: String

  /// Creates a reference. Slashes at the ends of the path and consecutive slashes are ignored.
  init(storage: Storage, path: String) {
    self.storage = storage
    fullPath = Self.segments(of: path).joined(separator: "/")
  }

  /// Returns the segments of a path that aren't empty.
  ///
  /// Swift's characters aren't what servers separate: a slash and a combining accent behind it are one
  /// character.
  static func segments(of path: String) -> [Substring] {
    path.unicodeScalars.split(separator: "/").map(Substring.init)
  }

  /// The last segment of the path; empty for the root.
  public var name: String { Self.segments(of: fullPath).last.map(String.init) ?? "" }

  /// The bucket's name.
  public var bucket: String { storage.bucket }

  /// Returns a reference to the root of the bucket.
  public func root() -> StorageReference { StorageReference(storage: storage, path: "") }

  /// Returns a reference to the enclosing folder, or `nil` if this is the root.
  public func parent() -> StorageReference? {
    guard !fullPath.isEmpty else { return nil }
    let parts = Self.segments(of: fullPath).dropLast()
    return StorageReference(storage: storage, path: parts.joined(separator: "/"))
  }

  /// Returns a reference to an object or a folder below this one.
  ///
  /// - Parameter path: a path relative to this reference, with segments separated by slashes.
  public func child(_ path: String) -> StorageReference {
    StorageReference(storage: storage, path: "\(fullPath)/\(path)")
  }

  /// Checks the limits of Cloud Storage (https://cloud.google.com/storage/docs/objects#naming): at most 1,024
  /// bytes of UTF-8, no line breaks and no NUL, and neither `.` nor `..` as a whole, which would change the
  /// URL of a request.
  ///
  /// - Throws: ``StorageError/Code/pathError``.
  func checkPath() throws(StorageError) {
    guard fullPath.utf8.count <= 1024, !fullPath.utf8.contains(where: { [0, 10, 13].contains($0) }),
      fullPath != ".", fullPath != "..", !fullPath.hasPrefix(".well-known/acme-challenge/")
    else {
      throw StorageError(
        .pathError,
        "\(fullPath.prefix(80).debugDescription) can't be the path of an object: paths have at most 1,024 bytes and no line "
          + "breaks, aren't \".\" or \"..\", and don't begin with \".well-known/acme-challenge/\"."
      )
    }
  }

  /// Checks that the reference can identify an object.
  ///
  /// - Throws: ``StorageError/Code/pathError``; ``StorageError/Code/invalidArgument`` for the root.
  func checkObject() throws(StorageError) {
    guard !fullPath.isEmpty else {
      throw StorageError(.invalidArgument, "The root of \(bucket) isn't an object. Name one with child(_:).")
    }
    try checkPath()
  }
}

extension StorageReference: Hashable {
  /// Whether two references have the same path in the same bucket of the same app. Paths are compared byte by
  /// byte, as servers do: `é` in its two forms of Unicode names two objects.
  public static func == (left: StorageReference, right: StorageReference) -> Bool {
    left.storage === right.storage && left.fullPath.utf8.elementsEqual(right.fullPath.utf8)
  }

  /// Hashes the bucket and the path.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(bucket)
    hasher.combine(fullPath)
  }
}

extension StorageReference: CustomStringConvertible {
  /// The reference as `gs://bucket/path`, in one line: control characters and line separators, which occur
  /// only in invalid paths, are written as in Swift, for example `\u{0A}`.
  public var description: String {
    let path = fullPath.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        text += "\\u{\(digits.count < 2 ? "0" : "")\(digits)}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return "gs://\(bucket)/\(path)"
  }
}
