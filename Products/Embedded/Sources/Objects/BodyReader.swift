import Foundation
import TenonCore
import TenonTransportInterop

/// Reads the content of a request piece by piece; files are read on a queue of their own.
actor BodyReader {
  private enum Source {
    case data(Data)
    case file(FileHandle)
  }

  private let executor = QueueExecutor(label: "tenon.embedded.body")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let body: HTTPBody
  private var source: Source?

  init(_ body: HTTPBody) { self.body = body }

  /// The next piece of at most `count` bytes; `nil` at the end.
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
          "The file \(url.path) can't be read; check that it exists and is readable.",
          underlying: error
        )
      }
    }
    source = opened
    return opened
  }
}
