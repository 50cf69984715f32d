import Foundation
import TenonSQLite
import TenonTestSupport
import Testing

@Suite(.limited) struct ConcurrentOpeningTests {
  /// Several processes that start at the same time open and migrate a database that doesn't exist yet.
  @Test(arguments: 0..<5)
  func manyConnectionsCanCreateADatabaseAtOnce(round: Int) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-sqlite-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "new.sqlite").path
    let outcomes = await withTaskGroup(of: String.self) { group in
      for number in 0..<8 {
        group.addTask {
          await withCheckedContinuation { continuation in
            // Opening blocks, so each connection has its own thread.
            Thread.detachNewThread {
              do {
                let connection = try Connection.open(path)
                try connection.migrate([Migration("CREATE TABLE t (v)")])
                try connection.run("INSERT INTO t VALUES (?)", [.integer(number)])
                continuation.resume(returning: "opened")
              } catch {
                continuation.resume(returning: "\(error)")
              }
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes == Array(repeating: "opened", count: 8))
    #expect(try Connection.open(path).first("SELECT count(*) FROM t") { $0.integer(0) } == 8)
  }
}
