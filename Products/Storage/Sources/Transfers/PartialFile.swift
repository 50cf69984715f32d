import TenonFoundation
import TenonHashes
import TenonTransport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// The bytes of a download that have arrived, in a hidden file beside the target. It runs on a dedicated
/// queue, because file operations block.
///
/// The file's name depends only on the target, so that a download finds what an ended process has left there.
/// A second file, with `.json` behind the name, states the version of the object. The files are claimed for
/// one download at a time; another one to the same target uses its own name.
///
/// Every operation throws ``StorageError/Code/fileError``, except ``remove()``.
actor PartialFile {
  /// The size from which an interrupted download is worth continuing after the process has ended, in bytes.
  static let smallestKept: Int64 = 1 << 20
  /// The size of the largest description that is read, in bytes.
  private static let largestDescription = 64 << 10

  /// The executor that runs the operations on the queue of this file.
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The queue of this file.
  private let executor = QueueExecutor(label: "tenon-storage-download")
  /// The file of the user, which ``finish()`` creates or replaces.
  private let target: URL
  /// The object.
  private let reference: StorageReference
  /// The file with the bytes.
  private var url: URL
  /// The open file; `nil` before the first operation and after the last one.
  private var file: OpenFile?
  /// Whether other downloads leave the file alone, so that it may remain when the process ends.
  private var isClaimed = false
  /// Whether there is a description of the version beside the file.
  private var isDescribed = false
  /// Whether the bytes of an earlier process have been looked for.
  private var isPrepared = false
  /// The version that the bytes belong to; `nil` if there are none.
  private var version: ObjectVersion?
  /// The size and the checksums of the bytes.
  private(set) var digest = ContentDigest()

  /// Creates access to the bytes for a target. Nothing is opened yet.
  ///
  /// - Parameters:
  ///   - target: the file of the user.
  ///   - reference: the object.
  init(_ target: URL, of reference: StorageReference) {
    self.target = target
    self.reference = reference
    url = Self.place(of: target)
  }

  /// The file in which the bytes of a target are collected.
  static func place(of target: URL, _ infix: String = "") -> URL {
    var name = target.lastPathComponent
    // Names of files are limited to 255 bytes on most systems.
    if name.utf8.count > 180 {
      var digest = ContentDigest()
      digest.update(Data(name.utf8))
      name = "\(digest.md5Hash)-\(digest.size)".replacing("/", with: "_")
    }
    return target.deletingLastPathComponent().appending(path: ".\(name)\(infix).download")
  }

  /// The file that describes the version.
  private var description: URL {
    url.deletingLastPathComponent().appending(path: "\(url.lastPathComponent).json")
  }

  /// Opens the file, and returns what it already contains.
  ///
  /// - Returns: the number of bytes, and the version that they belong to; `nil` if there are none.
  /// - Throws: also `CancellationError`.
  func open() throws -> (size: Int64, version: ObjectVersion?) {
    let file = try opened()
    if !isPrepared {
      if isClaimed { try takeOver(file) }
      isPrepared = true
    }
    return (digest.size, version)
  }

  /// Returns the open file, and opens it at the first call.
  private func opened() throws(StorageError) -> OpenFile {
    if let file { return file }
    let file = try attempt { () throws(SystemError) in
      // If it can't be claimed, a file with another name can be created, or the reason is thrown.
      if let claimed = try? OpenFile.claiming(url) {
        isClaimed = true
        return claimed
      }
      url = Self.place(of: target, ".\(UUID())")
      return try OpenFile(updating: url)
    }
    self.file = file
    return file
  }

  /// Takes over the bytes of a process that has ended, if they belong to a known version of the object. Their
  /// checksums are recomputed, because the system may have ended before they were on the disk.
  private func takeOver(_ file: OpenFile) throws {
    let size = try attempt { () throws(SystemError) in try file.size() }
    // A process can have ended before its first bytes were written.
    isDescribed = true
    guard size > 0 else { return removeDescription() }
    // At least one byte is missing, so that the server is asked for the version.
    let described = describedVersion
    let last = min(size, (described?.size ?? 0) - 1)
    if let described, last > 0 {
      try attempt { () throws(SystemError) in try file.seek(to: 0) }
      var known = ContentDigest()
      while known.size < last {
        try Task.checkCancellation()
        let bytes = try attempt { () throws(SystemError) in
          try file.bytes(upTo: Int(clamping: min(last &- known.size, 1 << 20)))
        }
        guard !bytes.isEmpty else { break }
        known.update(bytes)
      }
      let found = known
      try attempt { () throws(SystemError) in try file.truncate(to: found.size) }
      (digest, version) = (found, found.size > 0 ? described : nil)
    } else {
      try empty(file)
    }
  }

  /// Discards the bytes, because others begin.
  ///
  /// - Parameter version: the version that the following bytes belong to.
  func begin(_ version: ObjectVersion) throws(StorageError) {
    guard let file else { return }
    try empty(file)
    self.version = version
    // Only checksums can tell that bytes and description belong together after a system failure.
    guard isClaimed, version.hasStatedSize, let size = version.size, size >= Self.smallestKept,
      !version.isDecoded, !version.hashes.isEmpty
    else { return }
    isDescribed = true
    try attempt { () throws(SystemError) in
      let text = try? describing(version).serialized
      let side = try OpenFile(updating: description)
      try side.truncate(to: 0)
      try side.append(text ?? Data())
    }
  }

  /// Appends bytes.
  ///
  /// - Returns: the number of bytes in the file.
  func append(_ content: Data) throws(StorageError) -> Int64 {
    try attempt { () throws(SystemError) in try file?.append(content) }
    digest.update(content)
    return digest.size
  }

  /// Flushes the file to the disk and atomically renames it to the target.
  func finish() throws(StorageError) {
    try attempt { () throws(SystemError) in
      try file?.synchronize()
      // A description without a file would remain; a file without a description is replaced by the next
      // download.
      removeDescription()
      guard rename(url.path, target.path) == 0 else { throw SystemError("rename", target.path) }
    }
    file = nil
  }

  /// Closes and removes the file. Errors are ignored, because the download has failed already.
  func remove() {
    guard file != nil else { return }
    removeDescription()
    try? FileManager.default.removeItem(at: url)
    file = nil
  }

  /// Removes all bytes, and the description.
  private func empty(_ file: OpenFile) throws(StorageError) {
    removeDescription()
    digest = ContentDigest()
    version = nil
    try attempt { () throws(SystemError) in try file.truncate(to: 0) }
  }

  /// Removes the description, if there may be one.
  private func removeDescription() {
    if isDescribed { try? FileManager.default.removeItem(at: description) }
    isDescribed = false
  }

  /// Runs an operation and translates its errors.
  private func attempt<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(StorageError) -> Result {
    do { return try body() } catch {
      throw StorageError(
        .fileError, "The file \(target.path) can't be written: \(error.reason).", underlying: error)
    }
  }

  // MARK: - Descriptions

  /// Returns the description of a version.
  private func describing(_ version: ObjectVersion) -> JSON {
    .members([
      "bucket": .string(reference.bucket), "name": .string(reference.fullPath),
      "size": version.size.map(JSON.int), "generation": version.generation.map(JSON.string),
      "etag": version.etag.map(JSON.string), "crc32c": version.hashes.crc32c.map(JSON.string),
      "md5": version.hashes.md5.map(JSON.string),
    ])
  }

  /// The version that an earlier process has described; `nil` if there is no description, or it is one of
  /// another object.
  private var describedVersion: ObjectVersion? {
    guard let side = try? OpenFile(reading: description),
      let text = try? side.bytes(upTo: Self.largestDescription),
      let json = try? JSON(parsing: text), json["bucket"]?.string == reference.bucket,
      json["name"]?.string?.utf8.elementsEqual(reference.fullPath.utf8) == true,
      case .int(let size) = json["size"], size >= Self.smallestKept
    else { return nil }
    let hashes = ContentHashes(crc32c: json["crc32c"]?.string, md5: json["md5"]?.string)
    guard !hashes.isEmpty else { return nil }
    return ObjectVersion(
      generation: json["generation"]?.string, etag: json["etag"]?.string, hashes: hashes, size: size)
  }
}
