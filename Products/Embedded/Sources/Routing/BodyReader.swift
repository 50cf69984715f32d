import TenonFoundation
import TenonTransportInterop

/// Reads the body of a request in chunks. A file is read on a dedicated thread, because reading blocks. Calls
/// must not overlap.
actor BodyReader {
  /// The open body.
  private enum Source {
    /// The bytes that haven't been read.
    case data(Data)
    /// The open file, positioned behind the bytes that have been read.
    case file(OpenFile)
    /// The caller's stream, the bytes of its last chunk that haven't been read, and the number of bytes that
    /// must follow.
    case stream(any AsyncIteratorProtocol<Data, any Error>, rest: Data, following: Int64?)
  }

  /// The thread of the actor.
  private let executor = QueueExecutor(label: "tenon.embedded.body")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  /// The body of the request.
  private let body: HTTPBody
  /// The open body; `nil` before the first read.
  private var source: Source?

  /// Creates a reader. A file is opened by the first read.
  init(_ body: HTTPBody) { self.body = body }

  /// Returns the next chunk; `nil` at the end of the body.
  ///
  /// - Parameter count: the greatest size of the chunk in bytes, at least 1.
  /// - Throws: `TransportError` with `invalidRequest` if the file can't be opened or the stream fails;
  ///   `SystemError` if the file can't be read.
  func next(upTo count: Int) async throws -> Data? {
    switch try opened() {
    case .data(let rest):
      // Checked: at least 1, by contract.
      source = .data(rest.dropFirst(count))
      // Checked: at least 1, by contract.
      return rest.isEmpty ? nil : rest.prefix(count)
    case .file(let file):
      let bytes = try file.bytes(upTo: count)
      return bytes.isEmpty ? nil : bytes
    case .stream(var chunks, var rest, var following):
      while rest.isEmpty {
        guard let chunk = try await Self.next(&chunks, on: self) else {
          guard following ?? 0 == 0 else { throw Self.unexpectedLength }
          return nil
        }
        rest = chunk
        following = following.map { max($0, -1) - Int64(chunk.count) }
        guard following ?? 0 >= 0 else { throw Self.unexpectedLength }
      }
      // Checked: at least 1, by contract.
      source = .stream(chunks, rest: rest.dropFirst(count), following: following)
      // Checked: at least 1, by contract.
      return rest.prefix(count)
    }
  }

  /// Returns the whole body of a request.
  ///
  /// - Parameters:
  ///   - limit: the greatest size in bytes.
  ///   - tooLarge: the error for a larger body.
  /// - Throws: `tooLarge`; as ``next(upTo:)``.
  static func content(
    of request: TransportRequest, upTo limit: Int, orThrow tooLarge: @autoclosure () -> any Error
  ) async throws -> Data {
    if case .data(let data) = request.body {
      guard data.count <= limit else { throw tooLarge() }
      return data
    }
    let reader = BodyReader(request.body)
    var content = Data()
    while let piece = try await reader.next(upTo: ObjectService.pieceSize) {
      content += piece
      guard content.count <= limit else { throw tooLarge() }
    }
    return content
  }

  /// Returns the next chunk of the caller's stream, which may be empty; `nil` at its end.
  ///
  /// - Parameters:
  ///   - chunks: the iterator of the stream, which advances.
  ///   - actor: the reader, on which the iterator is called.
  /// - Throws: `TransportError` with `invalidRequest` if the stream fails; `CancellationError` if it fails
  ///   because the task was cancelled, or after that.
  private static func next(
    _ chunks: inout any AsyncIteratorProtocol<Data, any Error>, on actor: isolated BodyReader
  ) async throws -> Data? {
    do { return try await chunks.next(isolation: actor) } catch {
      try Task.checkCancellation()
      throw TransportError(.invalidRequest, "The stream of the request's body failed.", underlying: error)
    }
  }

  /// The error of a stream that ends before its stated length, or that continues beyond it.
  private static var unexpectedLength: TransportError {
    TransportError(.invalidRequest, "The request's body is longer or shorter than its stated length.")
  }

  /// Returns the open body; opens a file if necessary.
  ///
  /// - Throws: `TransportError` with `invalidRequest`, whose message names the file and the reason.
  private func opened() throws -> Source {
    if let source { return source }
    let opened: Source
    switch body {
    case .none: opened = .data(Data())
    case .data(let data): opened = .data(data)
    case .stream(let chunks, let length):
      opened = .stream(chunks.makeAsyncIterator(), rest: Data(), following: length)
    case .file(let url):
      do { opened = .file(try OpenFile(reading: url)) } catch {
        throw TransportError(
          .invalidRequest,
          "The file \(url.path) can't be read: \(error.reason). Check that it exists and is readable.",
          underlying: error
        )
      }
    }
    source = opened
    return opened
  }
}
