import Foundation
import TenonCore
import TenonHTTP
import TenonTransportInterop

/// The temporary file of a request's body that is a stream, which `URLSession` sends from there.
///
/// A session could read the body from a `Stream`. On Linux that blocks a thread of the session, and on all platforms an error
/// of the caller's stream would reach the server as a complete body.
struct BodySpool {
  private let file: URL

  /// Writes the body of a request to a file if it is a stream; returns `nil` otherwise.
  ///
  /// - Throws: `TransportError` with `invalidRequest` if the stream fails or hasn't the stated length, or if the file can't be
  ///   written; `CancellationError`.
  init?(_ request: HTTPRequest) async throws {
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
      "The stream of the request's body has \(size < length ? "only" : "at least") \(size) bytes instead of \(length)."
    )
  }

  /// Returns the file instead of the stream.
  func body(of request: HTTPRequest) -> HTTPBody {
    if case .stream = request.body { .file(file) } else { request.body }
  }

  /// Deletes the file.
  func remove() { try? FileManager.default.removeItem(at: file) }

  /// Writes the file, on a thread of its own.
  private actor Writer {
    private let executor = QueueExecutor(label: "tenon.transport.spool")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private let file: URL
    private var handle: FileHandle?

    init(_ file: URL) { self.file = file }

    func create() throws {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: attributes) else {
        throw TransportError(
          .invalidRequest, "The request's body can't be written to the temporary file \(file.path).")
      }
      handle = try FileHandle(forWritingTo: file)
    }

    func append(_ chunk: Data) throws { try handle?.write(contentsOf: chunk) }

    func close() throws { try handle?.close() }
  }
}
