import Foundation
import TenonStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Fills the disk to the last byte, and makes space in the database by deleting documents.
struct Cramming {
  let store: Store

  /// Writes until the disk is full, fills what is left of it, and deletes two documents. The process ends
  /// without closing the database.
  func cram() async throws {
    let text = String(repeating: "x", count: 20_000)
    for number in 1... {
      do {
        try await store.document("kept/n\(number)").setData(["n": number, "text": text])
        try say("done \(number)")
      } catch let error as StoreError {
        try say("refused \(error.code.rawValue)")
        break
      }
    }
    fillDisk()
    for number in 1...2 {
      try await store.document("kept/n\(number)").delete()
      try say("deleted n\(number)")
    }
    exit(0)
  }

  /// Fills the disk, deletes the collection, and writes to the space that it had.
  func clear() async throws {
    fillDisk()
    let count = try await store.collection("kept").count.getAggregation().count ?? 0
    try say("found \(count)")
    try say("cleared \(try await store.deleteCollection("kept"))")
    try await store.document("kept/again").setData(["text": String(repeating: "y", count: 20_000)])
    try say("kept \(try await store.collection("kept").getDocuments().documents.map(\.documentID))")
  }

  /// Appends to a file beside the database's directory until the disk has no space.
  private func fillDisk() {
    let ballast = URL(filePath: CommandLine.arguments[2]).deletingLastPathComponent().appending(path: "rest")
    let file = open(ballast.path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
    defer { close(file) }
    for size in [4096, 1] {
      let bytes = [UInt8](repeating: 1, count: size)
      while write(file, bytes, size) > 0 {}
    }
  }
}

/// Reads a database that can't be written, and prints what it finds, and the error of a write.
func look(at store: Store) async throws {
  let collection = store.collection("kept")
  try say("documents \(try await collection.getDocuments().documents.map(\.documentID).sorted())")
  try say("count \(try await collection.whereField("n", isGreaterThan: 0).count.getAggregation().count ?? 0)")
  for try await snapshot in collection.order(by: "n", descending: true).limit(to: 1).snapshots {
    try say("listener \(snapshot.documents.map(\.documentID))")
    break
  }
  do { try await store.document("kept/new").setData(["n": 1]) } catch let error as StoreError {
    try say("write \(error)")
  }
  do { try await store.document("kept/1").delete() } catch let error as StoreError {
    try say("deletion \(error.code.rawValue)")
  }
}
