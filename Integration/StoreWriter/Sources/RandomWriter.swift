import TenonStore

/// Makes random writes of all kinds. Each is announced before it is made, and confirmed after it returned.
struct RandomWriter {
  let store: Store
  /// Distinguishes the documents of this process from those of others.
  let run: String
  private var generator: SplitMix
  private var number = 0
  private var own: [String] = []

  init(store: Store, run: String, seed: UInt64) {
    self.store = store
    self.run = run
    generator = SplitMix(state: seed)
  }

  mutating func write() async throws {
    number += 1
    switch Int.random(in: 0..<10, using: &generator) {
    case 0...2: try await set()
    case 3, 4: try await batch()
    case 5 where !own.isEmpty, 6 where !own.isEmpty: try await update()
    case 7 where own.count > 3: try await delete()
    case 8: try await transfer()
    default: try await increment()
    }
  }

  /// Announces a write, makes it and confirms it; or reports that it was rejected, so that nothing has
  /// changed.
  private func announced(_ what: String, _ write: () async throws -> Void) async throws {
    try say("begin \(number) \(what)")
    do {
      try await write()
      try say("done \(number)")
    } catch let error as StoreError where error.code == .aborted {
      try say("refused \(number)")
    }
  }

  private mutating func fields(version: Int, group: String) -> Fields {
    let length = [0, 10, 200, 3000].randomElement(using: &generator) ?? 0
    let tags = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
      Value.string("t\(Int.random(in: 0..<5, using: &generator))")
    }
    var fields = Fields()
    fields["run"] = .string(run)
    fields["group"] = .string(group)
    fields["version"] = Value(version)
    fields["rank"] = Value(Int.random(in: 0..<20, using: &generator))
    fields["tags"] = .array(tags)
    fields["text"] = .string(String(repeating: "x", count: length))
    fields["inner.even"] = .boolean(version % 2 == 0)
    return fields
  }

  private mutating func set() async throws {
    let path = "kept/\(run)-\(number)"
    let fields = fields(version: number, group: "alone")
    try await announced("set \(path)") { try await store.document(path).setData(fields) }
    own.append(path)
  }

  private mutating func batch() async throws {
    let group = "\(run)-\(number)"
    let batch = store.batch()
    var paths: [String] = []
    for index in 0..<Int.random(in: 2...20, using: &generator) {
      paths.append("kept/\(group)-\(index)")
      try batch.setData(fields(version: number, group: group), forDocument: store.document(paths[index]))
    }
    try await announced("set \(paths.joined(separator: " "))") { try await batch.commit() }
    own += paths
  }

  private mutating func update() async throws {
    guard let path = own.randomElement(using: &generator) else { return }
    let changes = fields(version: number, group: "again")
    try await announced("set \(path)") {
      try await store.document(path).setData(changes, merge: true)
    }
  }

  private mutating func delete() async throws {
    guard let index = own.indices.randomElement(using: &generator) else { return }
    let path = own.remove(at: index)
    try await announced("delete \(path)") { try await store.document(path).delete() }
  }

  /// Transfers an amount between two accounts. The sum of all accounts doesn't change.
  private mutating func transfer() async throws {
    let names = ["a", "b", "c", "d"].shuffled(using: &generator)
    let amount = Int64.random(in: 1...9, using: &generator)
    let (from, to) = (store.document("accounts/\(names[0])"), store.document("accounts/\(names[1])"))
    try await announced("transfer") {
      try await store.runTransaction { transaction in
        let left = try await transaction.getDocument(from).fields?["amount"]?.int64Value ?? 0
        let right = try await transaction.getDocument(to).fields?["amount"]?.int64Value ?? 0
        try transaction.setData(["amount": left - amount], forDocument: from)
        try transaction.setData(["amount": right + amount], forDocument: to)
      }
    }
  }

  /// Increments the counter of this process and the common one together.
  private func increment() async throws {
    let batch = store.batch()
    for name in [run, "all"] {
      try batch.setData(
        ["count": .increment(1)], forDocument: store.document("counters/\(name)"), merge: true)
    }
    try await announced("increment") { try await batch.commit() }
  }
}

/// A random number generator with a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
