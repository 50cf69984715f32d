import FlyingSocks
import Foundation

/// The content of an answer, sent as the backend gives it: an object is never in memory as a whole.
struct PiecewiseBody: AsyncBufferedSequence {
  typealias Element = UInt8

  let pieces: AsyncThrowingStream<Data, any Error>

  func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    var pieces: AsyncThrowingStream<Data, any Error>.AsyncIterator
    private var rest = Data()

    init(pieces: AsyncThrowingStream<Data, any Error>.AsyncIterator) { self.pieces = pieces }

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> Data? {
      while rest.isEmpty {
        guard let piece = try await pieces.next(isolation: #isolation) else { return nil }
        rest = piece
      }
      let buffer = rest.prefix(count)
      rest = rest.dropFirst(count)
      return buffer
    }
  }
}
