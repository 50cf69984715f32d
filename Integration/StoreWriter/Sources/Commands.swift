import Foundation
import TenonStore

/// Increments two counters: one with increments, one with transactions that read the previous value.
func count(_ times: Int, in store: Store) async throws {
  let (added, read) = (try store.document("counters/added"), try store.document("counters/read"))
  for _ in 0..<times {
    try await added.set(["count": .increment(1)], merge: true)
    try await store.transaction(maximumAttempts: .max) { transaction in
      let count = try await transaction.get(read)["count"]?.integerValue ?? 0
      try transaction.set(["count": .value(.integer(count + 1))], at: read)
    }
  }
  try say("counted \(times)")
}

/// Returns every document of the collections that the tests use, one per line.
func listing(of store: Store) async throws -> [String] {
  var lines: [String] = []
  for id in ["accounts", "counters", "kept"] {
    for document in try await store.collection(id).get().documents {
      let bytes = DocumentCoding.encode(document.fields ?? Fields())
      lines.append("\(document.reference.path.text) \(bytes.base64EncodedString())")
    }
  }
  return lines
}

/// Prints what a listener sees of `kept`, and responds to each document with one in `answers`.
func watch(_ store: Store) async throws {
  for try await snapshot in try store.collection("kept").snapshots {
    try say("sees \(snapshot.count)")
    for change in snapshot.changes {
      let id = change.document.documentID
      try say("\(change.kind) \(id)")
      if id == "end" { return }
      try await store.document("answers/\(id)").set(["kind": .init("\(change.kind)")])
    }
  }
}
