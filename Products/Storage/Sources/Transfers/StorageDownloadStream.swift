public import TenonFoundation
import TenonHashes

/// The content of an object as a sequence of chunks. See ``StorageReference/stream()``.
///
/// Each iterator downloads the content. Releasing an iterator, or cancelling its task, ends its download.
public struct StorageDownloadStream: AsyncSequence, Sendable {
  /// A chunk of the content, which isn't empty.
  public typealias Element = Data

  /// The object.
  let reference: StorageReference
  /// The part of the content; `nil` for all of it.
  let range: Range<Int64>?

  /// Returns an iterator. Nothing is sent before its first chunk is requested.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reference: reference, range: range) }

  /// Downloads the content chunk by chunk.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// The object.
    let reference: StorageReference
    /// The part of the content; `nil` for all of it.
    let range: Range<Int64>?
    /// Receives the content; `nil` before the first chunk.
    private var reader: DownloadReader?
    /// The checksums of what has been read.
    private var digest = ContentDigest()
    /// Whether the content has ended, or an error has been thrown.
    private var isOver = false

    /// Creates an iterator.
    fileprivate init(reference: StorageReference, range: Range<Int64>?) {
      self.reference = reference
      self.range = range
    }

    /// Returns the next chunk; `nil` at the end, when all checksums have been verified.
    ///
    /// - Throws: ``StorageError``; Auth's error; `CancellationError`. The sequence ends with its first error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      guard !isOver else { return nil }
      isOver = true
      let chunk = try await chunk()
      isOver = chunk == nil
      if isOver { reader = nil }
      return chunk
    }

    /// Returns the next chunk; `nil` at the end.
    private mutating func chunk() async throws -> Data? {
      var current = try reader ?? DownloadReader(reference, range: range)
      // An error drops the reader, and so ends the exchange.
      reader = nil
      while let event = try await current.next() {
        switch event {
        case .begins:
          guard digest.size == 0 else {
            throw StorageError(
              .unavailable,
              "\(reference) was replaced while it was being read. Discard what was read, and read it again.")
          }
        case .bytes(let chunk):
          digest.update(chunk)
          reader = current
          return chunk
        }
      }
      if range == nil { try await current.verify(digest) }
      return nil
    }
  }
}
