import Foundation
import TenonAuthInterop
import TenonCore
import TenonFoundation
import TenonStorageInterop
import TenonStoreInterop
import TenonTestSupport

@testable import TenonStore
@testable import TenonStoreEngine

/// A directory for one test, which is removed when the last of its stores is deallocated.
final class TestDirectory: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "tenon-store-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var file: String { "\(path)/default.sqlite" }
}

/// Returns a new database. Without a remote, it is local-only unless `isLocalOnly` is `false`.
func makeStore(
  _ directory: TestDirectory? = nil, disk: FaultyDisk? = nil, now: Timestamp? = nil,
  remote: (any StoreRemote)? = nil, auth: (any AuthInterop)? = nil, settings: StoreSettings = StoreSettings(),
  buildsIndexes: Bool = true, logIdleTime: Duration? = nil, time: TestTime? = nil, isLocalOnly: Bool? = nil,
  logger: AppLogger = AppLogger(source: "tests"), authError: (any Error)? = nil,
  storage: (any StorageInterop)? = nil
) -> Store {
  var source = time?.source ?? .system
  if let now { source.date = { now.dateValue() } }
  let configuration = StoreEngine.Configuration(
    path: directory?.file, disk: disk?.name, logger: logger, remote: remote,
    isLocalOnly: isLocalOnly ?? (remote == nil),
    auth: { if let authError { throw authError } else { return auth } }, storage: { storage },
    settings: TestEncryption.added(to: settings), buildsIndexes: buildsIndexes, logIdleTime: logIdleTime,
    time: source)
  return Store(StoreEngine(configuration))
}

/// Reads the snapshots of a listener, which ends when this object is deallocated.
struct Snapshots<Snapshot: Sendable>: Sendable {
  private let stream: AsyncThrowingStream<Snapshot, any Error>

  init(_ stream: AsyncThrowingStream<Snapshot, any Error>) { self.stream = stream }

  /// Returns the next snapshot that matches; `nil` if the listener ends before.
  func next(where isWanted: @Sendable (Snapshot) -> Bool = { _ in true }) async throws -> Snapshot? {
    try await stream.first { isWanted($0) }
  }
}

extension QuerySnapshot {
  var ids: [String] { documents.map(\.documentID) }

  /// The changes as text: `added a, modified b`.
  var story: String { documentChanges.map { "\($0.type) \($0.document.documentID)" }.joined(separator: ", ") }
}
