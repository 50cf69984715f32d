package import TenonFoundation
import TenonJSON
package import TenonTransportInterop

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

/// A local file that is read for an upload or written by a download, on a dedicated queue because file
/// operations block.
///
/// Every operation throws ``Failure``, except ``remove()``.
package actor LocalFile {
  /// The error of a file operation.
  package struct Failure: Error {
    /// A sentence that names the file and the system's reason.
    package let message: String
    /// The error of the system call.
    package let underlying: SystemError
  }

  /// The executor that runs the operations on the queue of this file.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The queue of this file.
  private let executor = QueueExecutor(label: "tenon-transport-file")
  /// The file to read or write.
  private let url: URL
  /// The file that the user named, for error messages and as the target of ``move()``.
  private let target: URL
  /// The open file; `nil` before the first operation and after the last one.
  private var file: OpenFile?

  /// Creates access to a file for reading.
  ///
  /// - Parameter url: the file. It is opened by the first operation.
  package init(_ url: URL) { self.init(url, for: url) }

  /// Creates access to a file.
  ///
  /// - Parameters:
  ///   - url: the file to read or write.
  ///   - target: the file that the user named.
  private init(_ url: URL, for target: URL) {
    self.url = url
    self.target = target
  }

  /// Returns the size of the file in bytes. A directory is an error.
  package func size() throws -> Int64 {
    try attempt("read") { () throws(SystemError) in
      let file = try opened()
      // Directories can be opened and have a size on Linux. Reading reveals them.
      try file.seek(to: 0)
      _ = try file.bytes(upTo: 1)
      return try file.size()
    }
  }

  /// The properties by which a change of a file is noticed.
  package struct Identity: Sendable, Hashable, Codable {
    /// The size in bytes.
    package let size: Int64
    /// When the content last changed, in nanoseconds since 1970.
    package let modified: Int64
  }

  /// Returns the size of the file and when it last changed. A directory is an error.
  package func identity() throws -> Identity {
    let size = try size()
    return try attempt("read") { () throws(SystemError) in
      Identity(size: size, modified: try opened().modified())
    }
  }

  /// Returns bytes of the file.
  ///
  /// - Parameters:
  ///   - offset: the position of the first byte.
  ///   - count: the number of bytes.
  /// - Returns: `count` bytes, or fewer at the end of the file.
  package func read(at offset: Int64, count: Int) throws -> Data {
    try attempt("read") { () throws(SystemError) in
      let file = try opened()
      try file.seek(to: offset)
      return try file.bytes(upTo: count)
    }
  }

  /// Writes the body of a response to a file.
  ///
  /// The file is created or replaced atomically when the body is complete. Until then, and after an error, it
  /// remains as it was: the bytes are written to a hidden file in the same directory, which is removed if the
  /// body isn't complete.
  ///
  /// - Parameters:
  ///   - response: the response. The next chunk of its body is requested when the one before has been
  ///     written.
  ///   - file: the file. Its directory must exist.
  ///   - written: called after each chunk with the number of bytes that have been written so far.
  /// - Throws: ``Failure`` if the file can't be written; `TransportError` with `connectionLost` if the body
  ///   doesn't have the length that the response states; the errors of the body and of `written`;
  ///   `CancellationError`.
  package static func write(
    _ response: TransportStreamingResponse, to file: URL, written: (Int64) throws -> Void = { _ in }
  ) async throws {
    let name = ".\(file.lastPathComponent).\(UUID()).part"
    let partial = LocalFile(file.deletingLastPathComponent().appending(path: name), for: file)
    do {
      try await partial.create()
      var count: Int64 = 0
      for try await chunk in response.body {
        try await partial.append(chunk)
        count += Int64(chunk.count)
        try written(count)
      }
      // The stream of a cancelled task ends without an error.
      try Task.checkCancellation()
      if let length = response.contentLength, count != length {
        throw TransportError(.connectionLost, "Only \(count) of \(length) bytes arrived. Try again.")
      }
      try await partial.move()
    } catch {
      await partial.remove()
      throw error
    }
  }

  /// Creates the file, or empties it if it exists, and opens it for writing.
  private func create() throws {
    try attempt("written") { () throws(SystemError) in file = try OpenFile(creating: url) }
  }

  /// Appends bytes to a file that ``create()`` created.
  private func append(_ content: Data) throws {
    try attempt("written") { () throws(SystemError) in try file?.append(content) }
  }

  /// Flushes the file to the disk and atomically renames it to the target, which must be on the same volume.
  private func move() throws {
    try attempt("written") { () throws(SystemError) in
      try file?.synchronize()
      file = nil
      guard rename(url.path, target.path) == 0 else { throw SystemError("rename", target.path) }
    }
  }

  /// Closes and removes the file. Errors are ignored, because the operation has failed already.
  private func remove() {
    file = nil
    try? FileManager.default.removeItem(at: url)
  }

  /// Returns the open file, and opens it for reading at the first call.
  private func opened() throws(SystemError) -> OpenFile {
    if let file { return file }
    let file = try OpenFile(reading: url)
    self.file = file
    return file
  }

  /// Runs an operation and translates its errors.
  ///
  /// - Parameters:
  ///   - action: the participle of the operation, for the message: `read` or `written`.
  ///   - body: the operation.
  /// - Throws: ``Failure``.
  private func attempt<Result>(
    _ action: String, _ body: () throws(SystemError) -> Result
  ) throws(Failure) -> Result {
    do { return try body() } catch {
      throw Failure(
        message: "The file \(target.path) can't be \(action): \(error.reason).", underlying: error)
    }
  }
}

extension TransportStreamingResponse {
  /// The length of the body in bytes, as the server states it; `nil` if it isn't known, or if a content
  /// coding has been removed.
  package var contentLength: Int64? {
    headers["Content-Encoding"] == nil ? headers["Content-Length"].flatMap { Int64(decimal: $0) } : nil
  }
}
