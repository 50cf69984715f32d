import Foundation
import TenonDocuments
import TenonStore

/// Increments two counters: one with increments, one with transactions that read the previous value.
func count(_ times: Int, in store: Store) async throws {
  let (added, read) = (store.document("counters/added"), store.document("counters/read"))
  for _ in 0..<times {
    try await added.setData(["count": .increment(1)], merge: true)
    try await store.runTransaction(maximumAttempts: .max) { transaction in
      let count = try await transaction.getDocument(read).fields?["count"]?.int64Value ?? 0
      try transaction.setData(["count": count + 1], forDocument: read)
    }
  }
  try say("counted \(times)")
}

/// Returns every document of the collections that the tests use, one per line.
func listing(of store: Store) async throws -> [String] {
  var lines: [String] = []
  for id in ["accounts", "counters", "kept"] {
    for document in try await store.collection(id).getDocuments().documents {
      let bytes = DocumentCoding.encode(document.fields)
      lines.append("\(document.reference.path) \(bytes.base64EncodedString())")
    }
  }
  return lines
}

/// Prints what a listener sees of `kept`, and responds to each document with one in `answers`.
func watch(_ store: Store) async throws {
  for try await snapshot in store.collection("kept").snapshots {
    try say("sees \(snapshot.count)")
    for change in snapshot.documentChanges {
      let id = change.document.documentID
      try say("\(change.type) \(id)")
      if id == "end" { return }
      try await store.document("answers/\(id)").setData(["kind": "\(change.type)"])
    }
  }
}
