import Foundation
import TenonFoundation
import TenonHTTP
import TenonTransportInterop

/// The temporary file of a request's body that is a stream, which `URLSession` sends from there.
///
/// A session could read the body from a `Stream`. On Linux that blocks a thread of the session, and on all
/// platforms an error of the caller's stream would reach the server as a complete body. With a file, nothing
/// is sent unless the stream is complete.
///
/// The file is in the system's directory for temporary files, with permissions for its owner only. The
/// transport that creates the spool calls ``remove()`` before it returns the response or throws. A file that
/// a crash leaves behind isn't deleted.
struct BodySpool {
  /// The location of the file, which has a random name.
  private let file: URL

  /// Writes the body of a request to a file if it is a stream; returns `nil` otherwise.
  ///
  /// The stream is read to its end before this returns, whatever the request's deadline. The memory that is
  /// used is that of one chunk. If this throws, the file has been deleted.
  ///
  /// - Parameter request: the request. It is checked before the stream is read, so that one that can't be
  ///   sent reads nothing.
  /// - Throws: `TransportError` with `invalidRequest` if the request can't be sent, if the stream fails or
  ///   doesn't have the stated length, or if the file can't be written; `CancellationError`.
  init?(_ request: TransportRequest) async throws {
    guard case .stream(let chunks, let length) = request.body else { return nil }
    _ = try request.checked()
    file = FileManager.default.temporaryDirectory.appending(path: "tenon-\(UUID()).body")
    let writer = Writer(file)
    do {
      try await writer.create()
      try await Self.copy(chunks, to: writer, length: length)
      try await writer.close()
    } catch {
      remove()
      try Task.checkCancellation()
      throw error as? TransportError
        ?? TransportError(.invalidRequest, "The stream of the request's body failed.", underlying: error)
    }
  }

  /// Appends the chunks of a stream to the file.
  ///
  /// A stream that exceeds its length isn't read to its end, which it may not have, and the chunk that
  /// exceeds it isn't written.
  ///
  /// - Parameters:
  ///   - chunks: the stream. It is iterated once.
  ///   - writer: the open file.
  ///   - length: the stated size in bytes; `nil` if any size is allowed.
  /// - Throws: `TransportError` with `invalidRequest` if the size isn't `length`; `CancellationError`; the
  ///   errors of the stream and of the file.
  private static func copy(
    _ chunks: some AsyncSequence<Data, any Error> & Sendable, to writer: Writer, length: Int64?
  ) async throws {
    var size: Int64 = 0
    for try await chunk in chunks {
      size += Int64(chunk.count)
      guard size <= length ?? .max else { break }
      try await writer.append(chunk)
    }
    try Task.checkCancellation()
    guard let length, size != length else { return }
    throw TransportError(
      .invalidRequest,
      "The request's body has \(size < length ? "only" : "at least") \(size) bytes instead of \(length)."
    )
  }

  /// Returns the body to send: the file for a stream, and the request's own body otherwise.
  ///
  /// - Parameter request: the request, or the one that follows its redirect.
  func body(of request: TransportRequest) -> HTTPBody {
    if case .stream = request.body { .file(file) } else { request.body }
  }

  /// Deletes the file. Errors, for example because it has been deleted before, are ignored.
  func remove() { try? FileManager.default.removeItem(at: file) }

  /// Writes the file, on a dedicated queue, because writing blocks.
  private actor Writer {
    /// The queue on which the actor runs.
    private let executor = QueueExecutor(label: "tenon.transport.spool")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    /// The location of the file.
    private let file: URL
    /// The open file; `nil` before ``create()``.
    private var handle: FileHandle?

    init(_ file: URL) { self.file = file }

    /// Creates the file with the permissions 0600 and opens it.
    ///
    /// - Throws: `TransportError` with `invalidRequest` if it can't be created; the error of `FileHandle` if
    ///   it can't be opened.
    func create() throws {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: attributes) else {
        throw TransportError(
          .invalidRequest, "The request's body can't be written to the temporary file \(file.path).")
      }
      handle = try FileHandle(forWritingTo: file)
    }

    /// Appends a chunk at the end.
    ///
    /// - Throws: the error of `FileHandle`, for example if the volume is full.
    func append(_ chunk: Data) throws { try handle?.write(contentsOf: chunk) }

    /// Closes the file, which is then complete.
    ///
    /// - Throws: the error of `FileHandle`.
    func close() throws { try handle?.close() }
  }
}
