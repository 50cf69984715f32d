import Foundation
import TenonCore
import TenonTransportInterop

/// Reads the body of a request in chunks. A file is read on a thread of its own, because reading blocks.
actor BodyReader {
  /// The open body.
  private enum Source {
    /// The bytes that haven't been read.
    case data(Data)
    /// The open file, positioned behind the bytes that have been read.
    case file(FileHandle)
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
  /// - Parameter count: The greatest size of the chunk in bytes, at least 1.
  /// - Throws: `TransportError` with `invalidRequest` if the file can't be opened; the error of `FileHandle` if it can't
  ///   be read.
  func next(upTo count: Int) throws -> Data? {
    switch try opened() {
    case .data(let rest):
      source = .data(rest.dropFirst(count))
      return rest.isEmpty ? nil : rest.prefix(count)
    case .file(let handle):
      let bytes = try handle.read(upToCount: count) ?? Data()
      return bytes.isEmpty ? nil : bytes
    }
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
    case .file(let url):
      do { opened = .file(try FileHandle(forReadingFrom: url)) } catch {
        throw TransportError(
          .invalidRequest,
          "The file \(url.path) can't be read: \(error.systemReason). Check that it exists and is readable.",
          underlying: error
        )
      }
    }
    source = opened
    return opened
  }
}
