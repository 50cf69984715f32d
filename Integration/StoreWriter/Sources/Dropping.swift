import TenonStore

/// Drops a large collection whose documents are in indexes of all kinds, and works on while its rows are being
/// deleted.
struct Dropping {
  let store: Store

  static let indexes = [
    CompositeIndex("kept", .ascending("group"), .descending("rank")),
    CompositeIndex("kept", scope: .collectionGroup, .ascending("group"), .ascending("rank")),
  ]

  /// Fills the collection, and another one of its group.
  func fill(_ count: Int) async throws {
    for start in stride(from: 0, to: count, by: 1_000) {
      let batch = store.batch()
      for number in start..<min(start + 1_000, count) {
        try batch.setData(fields(number), forDocument: store.document("kept/n\(number)"))
      }
      try await batch.commit()
    }
    for number in 0..<5 { try await store.document("other/x/kept/n\(number)").setData(fields(number)) }
    try await store.buildIndexes()
    await store.terminate()
  }

  private func fields(_ number: Int) -> Fields {
    ["group": "old", "rank": .integer(Int64(number)), "tags": ["one", "two"]]
  }

  /// Drops the collection unless a former process has, and writes to it without end. Prints a line after each
  /// step.
  func run(_ name: String) async throws {
    if try await store.document("kept/n7").getDocument().fields?["group"] == "old" {
      try say("dropping")
      try say("dropped \(try await store.deleteCollection("kept"))")
    } else {
      try say("dropped before")
    }
    for number in 1... {
      // Every other document has the path of one that was dropped.
      let id = number.isMultiple(of: 2) ? "n\(number)" : "\(name)-\(number)"
      try say("begin \(id)")
      try await store.document("kept/\(id)").setData(["group": "new", "rank": .integer(1), "tags": ["two"]])
      try say("done \(id)")
    }
  }

  /// Waits for the deletion of the rows, and prints what each kind of index finds.
  func inspect() async throws {
    try await store.buildIndexes()
    func ids(_ query: Query) async throws -> String {
      try await query.getDocuments().documents.map(\.documentID).sorted().joined(separator: " ")
    }
    try say("documents \(try await ids(store.collection("kept").limit(to: 100_000)))")
    let group = store.collectionGroup("kept").order(by: "group").order(by: "rank")
    try say("group \(try await group.count.getAggregation().count ?? -1)")
    let old = store.collectionGroup("kept").whereField("group", isEqualTo: "old").order(by: "rank")
    try say("old \(try await ids(old))")
    let new = store.collection("kept").whereField("group", isEqualTo: "new")
      .order(by: "rank", descending: true)
    try say("new \(try await ids(new))")
    let found = try await store.collectionGroup("kept").search("two").getDocuments()
    try say("found \(found.map(\.document.documentID).sorted().joined(separator: " "))")
    await store.terminate()
  }
}
