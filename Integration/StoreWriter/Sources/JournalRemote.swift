import Foundation
import TenonCore
import TenonStore
import TenonStoreInterop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A remote that all processes with the same journal share: each applied batch is a line of the journal. Like
/// Cloud Firestore, it has no batch IDs: a batch that is sent twice is applied twice.
struct JournalRemote: StoreRemote {
  let pipelineDepth = 10

  /// The name of this process in the journal.
  let process: String
  let journal: URL

  /// The interval at which to check whether a batch may be applied.
  private static let pause = Duration.milliseconds(5)

  /// Returns whether another batch may be applied. A file beside the journal contains the total limit.
  private var isOpen: Bool {
    guard let text = try? String(contentsOfFile: "\(journal.path).open", encoding: .utf8) else {
      return false
    }
    let lines = (try? Data(contentsOf: journal))?.count { $0 == UInt8(ascii: "\n") } ?? 0
    return lines < Int(text) ?? 0
  }

  func write(
    _ batches: AsyncStream<RemoteBatch>, token: Data?, in context: RemoteContext
  ) -> AsyncThrowingStream<WriteEvent, any Error> {
    let (events, continuation) = AsyncThrowingStream<WriteEvent, any Error>.makeStream()
    let applying = Task {
      continuation.yield(.opened(token: nil))
      do {
        for await batch in batches {
          continuation.yield(.committed(try await commit(batch, in: context), token: nil))
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in applying.cancel() }
    return events
  }

  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    while !isOpen { try await Task.sleep(for: Self.pause) }
    let documents = batch.writes.map(\.document.text).joined(separator: " ")
    guard append("\(process) \(documents)\n", to: journal.path) else {
      throw StoreRemoteError(.internal, "The journal can't be written.")
    }
    try say("applied \(documents)")
    return RemoteCommit(
      time: Timestamp(date: Date()), results: batch.writes.map { _ in RemoteCommit.Result() })
  }

  // MARK: - Reading isn't supported

  func listen(
    _ requests: AsyncStream<ListenRequest>, in context: RemoteContext
  ) -> AsyncThrowingStream<ListenEvent, any Error> { AsyncThrowingStream { throw Self.unreadable } }

  func fetch(_ documents: [ResourcePath], in context: RemoteContext) async throws -> [RemoteDocument] {
    throw Self.unreadable
  }

  func run(_ query: StructuredQuery, in context: RemoteContext) async throws -> [RemoteDocument] {
    throw Self.unreadable
  }

  func aggregate(
    _ query: StructuredQuery, _ aggregations: [QueryAggregation], in context: RemoteContext
  ) async throws -> [Value] { throw Self.unreadable }

  private static let unreadable = StoreRemoteError(.unavailable, "A journal can't be read.")
}

/// Appends a line with a single call, so that the lines of several processes don't mix.
///
/// - Returns: whether the line was written.
private func append(_ line: String, to path: String) -> Bool {
  let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
  guard file >= 0 else { return false }
  defer { close(file) }
  let bytes = Array(line.utf8)
  return write(file, bytes, bytes.count) == bytes.count
}

/// Provides the remote that the command line selects.
enum JournalLibrary: Library {
  static let name = "journal"
  static let version = SemanticVersion(1, 0, 0)
  static var components: [AnyComponent] {
    Component((any StoreRemote).self) { _ in
      let arguments = CommandLine.arguments
      guard arguments.count == 6, arguments[1] == "send" else {
        throw ComponentUnavailable("It isn't wanted.")
      }
      return JournalRemote(process: arguments[3], journal: URL(filePath: arguments[5]))
    }
  }

  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(JournalLibrary.self) }
}

/// Makes writes without waiting for the remote, then waits for all of them, and stays until its input ends.
func send(_ times: Int, as process: String, in store: Store) async throws {
  var writes: [WriteConfirmation] = []
  for number in 0..<times {
    writes.append(try await store.document("sent/\(process)-\(number)").setData(["n": 1]))
  }
  try say("made \(times)")
  for write in writes { try await write.confirmed() }
  try say("confirmed \(times)")
  _ = try FileHandle.standardInput.readToEnd()
}
