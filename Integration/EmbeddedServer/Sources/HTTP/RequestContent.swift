import TenonFoundation
import TenonTransportInterop

/// The content of a request as it arrives: in memory while it is small, then in a file.
struct RequestContent: ~Copyable {
  private let limits: ServerLimits
  private var memory = Data()
  private var file: UnnamedFile?
  private(set) var count: Int64 = 0

  init(limits: ServerLimits) { self.limits = limits }

  mutating func append(_ piece: Data) throws {
    count += Int64(piece.count)
    guard count <= limits.bodyBytes else { throw HTTPFailure(413, "The content is too large.") }
    if file == nil, count <= Int64(limits.memoryBytes) {
      memory += piece
      return
    }
    do {
      let file = try file ?? UnnamedFile()
      self.file = file
      if !memory.isEmpty { try file.append(memory) }
      memory = Data()
      try file.append(piece)
    } catch {
      throw HTTPFailure(503, "The content can't be stored in a file: \(error).")
    }
  }

  /// The content for the backend. The file exists as long as this value.
  var body: HTTPBody {
    if let file {
      file.rewind()
      return .file(file.url)
    }
    return memory.isEmpty ? .none : .data(memory)
  }
}
