import Foundation
import TenonTransportInterop

/// The content of a request as it arrives: in memory while it is small, then in a file.
struct RequestContent: ~Copyable {
  private let limits: ServerLimits
  private var memory = Data()
  private var file: (url: URL, handle: FileHandle)?
  private(set) var count: Int64 = 0

  init(limits: ServerLimits) { self.limits = limits }

  deinit { try? file?.handle.close() }

  mutating func append(_ piece: Data) throws {
    count += Int64(piece.count)
    guard count <= limits.bodyBytes else { throw HTTPFailure(413, "The content is too large.") }
    if file == nil, count <= Int64(limits.memoryBytes) {
      memory += piece
      return
    }
    do {
      let file = try file ?? create()
      self.file = file
      if !memory.isEmpty { try file.handle.write(contentsOf: memory) }
      memory = Data()
      try file.handle.write(contentsOf: piece)
    } catch {
      throw HTTPFailure(503, "The content can't be stored in a file: \(error.localizedDescription)")
    }
  }

  /// The content for the backend. The file exists as long as this value.
  var body: HTTPBody {
    if let file {
      // On macOS, the path opens the same description of the file, with its position.
      try? file.handle.seek(toOffset: 0)
      return .file(file.url)
    }
    return memory.isEmpty ? .none : .data(memory)
  }

  /// Creates a file without a name, which the system deletes with its last descriptor, however this process ends.
  ///
  /// - Returns: The open file, and the path at which this process can open it.
  private func create() throws -> (url: URL, handle: FileHandle) {
    let url = FileManager.default.temporaryDirectory.appending(path: "embedded-server-\(UUID())")
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: attributes) else {
      throw CocoaError(.fileWriteUnknown)
    }
    defer { try? FileManager.default.removeItem(at: url) }
    let handle = try FileHandle(forUpdating: url)
    return (URL(filePath: "/dev/fd/\(handle.fileDescriptor)"), handle)
  }
}
