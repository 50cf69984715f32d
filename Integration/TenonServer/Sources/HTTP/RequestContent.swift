import NIOPosix
import TenonFoundation
import TenonTransportInterop

/// The content of a request as it arrives: in memory while it is small, then in a file.
struct RequestContent: ~Copyable {
  private let limits: ServerLimits
  private var memory = Data()
  /// The file, which exists as long as something refers to it.
  private(set) var file: UnnamedFile?
  private(set) var count: Int64 = 0

  init(limits: ServerLimits) { self.limits = limits }

  /// Appends a part. Files are written outside the event loops and the cooperative pool.
  ///
  /// - Throws: ``HTTPFailure``.
  mutating func append(_ piece: Data) async throws(HTTPFailure) {
    count += Int64(piece.count)
    guard count <= limits.bodyBytes else { throw HTTPFailure(413, "The content is too large.") }
    memory += piece
    guard memory.count > (file == nil ? limits.memoryBytes : Self.fileWrite) else { return }
    try await writeMemory()
  }

  /// The number of bytes that are written to the file together.
  private static let fileWrite = 1 << 20

  /// Moves what is in memory to the file.
  private mutating func writeMemory() async throws(HTTPFailure) {
    let (bytes, present) = (memory, file)
    memory = Data()
    do {
      file = try await NIOThreadPool.singleton.runIfActive {
        let file = try present ?? UnnamedFile()
        try file.append(bytes)
        return file
      }
    } catch {
      throw HTTPFailure(503, "The content can't be stored in a file: \(error).")
    }
  }

  /// Returns the content for the backend. Its file must be kept until it has been read.
  ///
  /// - Throws: ``HTTPFailure``.
  mutating func body() async throws(HTTPFailure) -> HTTPBody {
    guard file != nil else { return memory.isEmpty ? .none : .data(memory) }
    if !memory.isEmpty { try await writeMemory() }
    guard let file else { return .none }
    file.rewind()
    return .file(file.url)
  }
}
