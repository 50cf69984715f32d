import TenonCore
import TenonFoundation
import TenonTransport

/// A download of an object into a file, which a ``TransferControl`` pauses and cancels.
struct FileDownload {
  /// The bytes that are written at a time.
  private static let blockSize = 512 << 10
  /// The largest step of the progress, in bytes.
  private static let reportSize: Int64 = 256 << 10

  /// The object.
  private let reference: StorageReference
  /// The file of the user.
  private let target: URL
  /// Pauses and cancels the download.
  private let control: TransferControl

  /// Creates a download.
  init(_ reference: StorageReference, _ target: URL, _ control: TransferControl) {
    self.reference = reference
    self.target = target
    self.control = control
  }

  /// Downloads the object, and returns the file.
  ///
  /// - Throws: ``StorageError``; Auth's error; `CancellationError`. The file is then as it was, and nothing
  ///   remains beside it.
  nonisolated(nonsending) func run() async throws -> URL {
    try reference.checkObject()
    let file = PartialFile(target, of: reference)
    do {
      var end = reference.storage.transferEnd
      while true {
        end += try await control.waitWhilePaused(reference.storage.client.http.time)
        let isComplete = try await control.interruptible { [self, end] in
          try await receive(into: file, until: end)
          return true
        }
        if isComplete != nil { break }
      }
      try await file.finish()
    } catch {
      await file.remove()
      throw error
    }
    return target
  }

  /// Receives what is missing in a file, and verifies the whole.
  ///
  /// - Throws: what ended the download; `CancellationError` after an interruption. What has arrived is in the
  ///   file then.
  private func receive(into file: PartialFile, until end: ContinuousClock.Instant) async throws {
    let part = try await file.open()
    var reader = DownloadReader(reference, from: part.size, of: part.version, until: end)
    if let size = part.version?.size { control.report(part.size, of: size) }
    var block = Data()
    // A block is written, and its checksums are computed, while the next one arrives.
    var writing: Task<Void, any Error>?
    /// Begins to write the block when the one before has been written.
    func flush() async throws {
      try await writing?.value
      let (content, total) = (block, reader.version?.size)
      block = Data()
      guard !content.isEmpty else { return writing = nil }
      writing = Task { [control] in
        let written = try await file.append(content)
        var position = written - Int64(content.count)
        while position < written {
          position = min(position + Self.reportSize, written)
          control.report(position, of: total)
        }
      }
    }
    do {
      while let event = try await reader.next() {
        switch event {
        case .begins(let size):
          block = Data()
          try await flush()
          guard let version = reader.version else { continue }
          try await file.begin(version)
          control.report(0, of: size)
        case .bytes(let chunk):
          if block.isEmpty { block.reserveCapacity(Self.blockSize + chunk.count) }
          block += chunk
          if block.count >= Self.blockSize { try await flush() }
        }
      }
    } catch {
      // What has arrived remains for a resumed download.
      try await flush()
      try await writing?.value
      throw error
    }
    try await flush()
    try await writing?.value
    try await reader.verify(await file.digest)
  }
}
