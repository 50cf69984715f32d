public import Foundation
import TenonTransport
import TenonTransportInterop

extension StorageReference {
  /// The object's content.
  ///
  /// - Parameter maxSize: how many bytes to take at most; 10 MiB by default.
  /// - Throws: ``StorageError`` with ``StorageError/Code/downloadSizeExceeded`` when there is more, and with
  ///   ``StorageError/Code/objectNotFound`` when there is no such object.
  public func data(maxSize: Int = 10 << 20) async throws -> Data {
    let response = try await download()
    func check(_ size: Int) throws(StorageError) {
      guard size <= maxSize else {
        throw StorageError(
          .downloadSizeExceeded,
          "\(url) has at least \(size) bytes, but at most \(maxSize) are wanted. "
            + "Raise maxSize, or use write(to:)."
        )
      }
    }
    if let length = response.headers["Content-Length"].flatMap({ Int($0) }) { try check(length) }
    var content = Data()
    try await storage.client.mapping(self) {
      for try await chunk in response.body {
        content += chunk
        try check(content.count)
      }
    }
    return content
  }

  /// Writes the object's content into a file, which is replaced as a whole when the download is complete.
  ///
  /// - Parameters:
  ///   - file: where to; its directory must exist.
  ///   - progress: receives how much has arrived.
  /// - Throws: ``StorageError``; the error of the file system.
  public func write(to file: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil) async throws {
    let response = try await download()
    let total = response.headers["Content-Length"].flatMap { Int64($0) }
    let partial = file.deletingLastPathComponent().appending(
      path: ".\(file.lastPathComponent).\(UUID()).part"
    )
    let local = LocalFile(partial)
    do {
      try await local.create()
      var completed: Int64 = 0
      try await storage.client.mapping(self) {
        for try await chunk in response.body {
          try await local.append(chunk)
          completed += Int64(chunk.count)
          progress?(TransferProgress(completed: completed, total: total))
        }
      }
      if let total, completed != total {
        throw StorageError(.unavailable, "Of \(total) bytes of \(url) only \(completed) arrived. Try again.")
      }
      try await local.move(to: file)
    } catch {
      await local.remove()
      throw error
    }
  }

  /// What is known of the object.
  ///
  /// - Throws: ``StorageError`` with ``StorageError/Code/objectNotFound`` when there is no such object.
  public func metadata() async throws -> StorageMetadata {
    try checkIsObject()
    return try StorageMetadata(await storage.client.json(.get, self, repeatable: true), of: self)
  }

  private func download() async throws -> HTTPStreamingResponse {
    try checkIsObject()
    return try await storage.client.download(self)
  }
}

/// How far a transfer is.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes that have been transferred.
  public var completed: Int64
  /// The bytes there are; `nil` when that isn't known.
  public var total: Int64?

  /// Creates a progress.
  public init(completed: Int64, total: Int64?) {
    self.completed = completed
    self.total = total
  }
}
