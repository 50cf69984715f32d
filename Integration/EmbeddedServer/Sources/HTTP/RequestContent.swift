import Foundation
import TenonTransportInterop

/// The content of a request as it arrives: in memory while it is small, then in a file.
struct RequestContent: ~Copyable {
  private let limits: ServerLimits
  private var memory = Data()
  private var file: (url: URL, handle: FileHandle)?
  private(set) var count: Int64 = 0

  init(limits: ServerLimits) { self.limits = limits }

  deinit {
    guard let file else { return }
    try? file.handle.close()
    try? FileManager.default.removeItem(at: file.url)
  }

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
    if let file { return .file(file.url) }
    return memory.isEmpty ? .none : .data(memory)
  }

  /// Creates a file to which no other user has access.
  private func create() throws -> (url: URL, handle: FileHandle) {
    let url = FileManager.default.temporaryDirectory.appending(path: "embedded-server-\(UUID())")
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: attributes) else {
      throw CocoaError(.fileWriteUnknown)
    }
    do { return (url, try FileHandle(forWritingTo: url)) } catch {
      try? FileManager.default.removeItem(at: url)
      throw error
    }
  }
}
