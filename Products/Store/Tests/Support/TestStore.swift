import Foundation
import TenonCore
import TenonDocuments
import TenonStoreInterop

@testable import TenonStore

/// A directory for one test, removed when the last of its stores is gone.
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

/// A database of its own.
func makeStore(_ directory: TestDirectory? = nil, disk: FaultyDisk? = nil, now: Timestamp? = nil) -> Store {
  let clock: @Sendable () -> Timestamp = { now ?? Timestamp(Date()) }
  let logger = Logger(source: "tests")
  let engine = StoreEngine(path: directory?.file, disk: disk?.name, logger: logger, now: clock)
  return Store(database: Store.defaultDatabase, engine: engine, auth: nil)
}

extension QuerySnapshot {
  var ids: [String] { documents.map(\.documentID) }

  /// The changes as text: `added a, modified b`.
  var story: String { changes.map { "\($0.kind) \($0.document.documentID)" }.joined(separator: ", ") }
}
