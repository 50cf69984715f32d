@testable import TenonStore

/// A reference model of offline work: what a device with several users, one after another, and a server
/// should do.
///
/// It is an interpreter that knows nothing of tables, overlays and streams. The server is a dictionary. The
/// device has a copy of it, from the time at which it was last online, and an array of queued batches for
/// each user. What users see is recomputed each time, by applying their queue to the copy. While the device
/// is online, everything is sent immediately, and the copy is the server's state.
///
/// An increment that is queued adds to the number that was visible when it was made, as in Firestore's
/// clients, so that the visible number doesn't change when the server has sent it and not answered yet.
struct OfflineModel {
  /// A document at the server. The number of its version changes whenever its contents do.
  struct Version: Hashable {
    var contents: ModelContents
    var number: Int
  }

  /// What must hold for a document that a transaction has read, for the transaction to be committed.
  enum Guard: Hashable {
    case version(Int)
    case missing
    /// The queued batches that had written to it are committed.
    case after([Int])
  }

  struct Batch {
    let id: Int
    let changes: [ModelChange]
    /// The number to which each of the changes adds if it is an increment.
    var numbers: [Int]
    /// The conditions by document; empty if it isn't a transaction.
    var guards: [Int: Guard] = [:]

    /// Whether it is a transaction that has read the result of queued writes.
    var awaitsWrites: Bool { guards.values.contains { if case .after = $0 { true } else { false } } }

    func writes(to document: Int) -> Bool { changes.contains { $0.document == document } }
  }

  struct Rejection {
    let code: StoreError.Code
    let batch: Batch
  }

  /// A document as the user sees it.
  struct Shown: Hashable {
    var contents: ModelContents?
    var isPending = false
  }

  /// What the server does with a batch apart from what the batch deserves.
  enum Answer { case refused, lost }

  private(set) var server: [Int: Version] = [:]
  /// The server's documents as the device knows them.
  private(set) var base: [Int: Version] = [:]
  var queues = Array(repeating: [Batch](), count: ModelStep.users.count)
  private(set) var rejections = Array(repeating: [Rejection](), count: ModelStep.users.count)
  private(set) var user = 0
  private(set) var isOnline = true
  private var lastVersion = 0
  private var lastBatch = 0
  /// The versions that committed batches have given their documents.
  private var versions: [Int: [Int: Int]] = [:]
  /// The batches that were rejected or cancelled.
  private var lost: Set<Int> = []
  /// The batches that the server may have received, as far as the device knows.
  private var sent: Set<Int> = []
  private var nextAnswer: (answer: Answer, position: Int)?

  /// The current user's queue.
  var queue: [Batch] { queues[user] }

  /// Creates a device that is online and knows all documents. It would otherwise leave decisions about those
  /// that it doesn't know to the server.
  init() {
    _ = commit(Self.firstChanges)
    base = server
  }

  /// What another device has written before.
  static let firstChanges = ModelChange.documents.map { ModelChange(document: $0, kind: .set(s: 0, n: 0)) }

  /// What the current user sees.
  var shown: [Int: Shown] {
    var shown = base.mapValues { Shown(contents: $0.contents) }
    for batch in queue {
      for (change, number) in zip(batch.changes, batch.numbers) {
        let old = shown[change.document]?.contents
        shown[change.document] = Shown(contents: change.result(on: old, addingTo: number), isPending: true)
      }
    }
    return shown
  }

  // MARK: - Steps

  /// What a step should do, besides changing the state.
  struct Effect {
    /// The error that it throws.
    var error: StoreError.Code?
    /// What a transaction reads.
    var reads: [Fields?] = []
    /// The server's answer to the batch at a position of the queue, during this step.
    var answer: (answer: Answer, position: Int)?
    /// How many batches an interrupted device sends.
    var sent = 0
  }

  /// Runs a step.
  mutating func run(_ step: ModelStep) -> Effect {
    var effect = Effect()
    switch step {
    case .write(let changes):
      effect.error = enqueue(changes)
      if effect.error == nil { effect.answer = send() }
    case .transaction(let reads, let changes):
      let shown = self.shown
      effect.reads = reads.map { shown[$0]?.contents?.fields }
      effect.error = enqueue(changes, reading: reads)
      guard effect.error == nil, isOnline else { break }
      let count = rejections[user].count
      effect.answer = send()
      // The caller still waits, and gets the rejection as an error.
      if rejections[user].count > count { effect.error = rejections[user].removeLast().code }
    case .cancel(let position):
      guard position < queue.count else { break }
      guard !sent.contains(queue[position].id) else {
        effect.error = .failedPrecondition
        break
      }
      let batch = queues[user].remove(at: position)
      lost.insert(batch.id)
      undoEffects(of: batch, from: position)
    case .others(let changes):
      _ = commit(changes)
      if isOnline { base = server }
    case .refuse(let position): nextAnswer = (.refused, position)
    case .loseAnswer(let position): nextAnswer = (.lost, position)
    case .offline: isOnline = false
    case .online:
      isOnline = true
      effect.answer = send()
    case .interrupt: effect.sent = isOnline ? 0 : sendWithoutAnswers()
    case .restart: break
    case .signIn(let user):
      self.user = user
      if isOnline { effect.answer = send() } else { rejectHopelessBatches() }
    case .dismiss: rejections[user] = []
    }
    return effect
  }

  /// Queues a batch, unless one of its changes isn't possible on what the user sees.
  private mutating func enqueue(_ changes: [ModelChange], reading reads: [Int] = []) -> StoreError.Code? {
    var shown = self.shown
    var guards: [Int: Guard] = [:]
    for document in reads {
      let writers = queue.filter { $0.writes(to: document) }.map(\.id)
      if shown[document]?.contents == nil {
        guards[document] = .missing
      } else {
        guards[document] = writers.isEmpty ? .version(base[document]?.number ?? 0) : .after(writers)
      }
    }
    var numbers: [Int] = []
    for change in changes {
      let old = shown[change.document]?.contents
      if let required = change.requiredExistence, required != (old != nil) { return change.error }
      numbers.append(old?.n ?? 0)
      shown[change.document] = Shown(contents: change.result(on: old), isPending: true)
    }
    lastBatch += 1
    queues[user].append(Batch(id: lastBatch, changes: changes, numbers: numbers, guards: guards))
    return nil
  }

  // MARK: - The server

  /// Applies changes at the server, all or none.
  private mutating func commit(_ changes: [ModelChange]) -> StoreError.Code? {
    var after = server
    lastVersion += 1
    for change in changes {
      let old = after[change.document]
      if let required = change.requiredExistence, required != (old != nil) { return change.error }
      let new = change.result(on: old?.contents)
      if new != old?.contents {
        after[change.document] = new.map { Version(contents: $0, number: lastVersion) }
      }
    }
    server = after
    return nil
  }

  /// Commits a batch at the server, if its conditions hold.
  private mutating func commit(_ batch: Batch) -> StoreError.Code? {
    for (document, condition) in batch.guards {
      let holds =
        switch condition {
        case .version(let number): server[document]?.number == number
        case .missing: server[document] == nil
        case .after(let writers):
          // Nobody else has changed the document since the last of them.
          lost.isDisjoint(with: writers)
            && writers.last.map { versions[$0]?[document] == server[document]?.number } ?? true
        }
      if !holds { return .failedPrecondition }
    }
    if let error = commit(batch.changes) { return error }
    versions[batch.id] = [:]
    for change in batch.changes { versions[batch.id]?[change.document] = server[change.document]?.number }
    return nil
  }

  /// Returns whether the server has committed a batch. It doesn't commit it again when it is sent again.
  func isCommitted(_ batch: Batch) -> Bool { versions[batch.id] != nil }

  /// Commits the first batches of the queue at the server, without the device's knowledge.
  ///
  /// - Returns: the number of batches that are sent.
  private mutating func sendWithoutAnswers() -> Int {
    var count = 0
    var isOpen = true
    // The device sends at most ten batches before the first answer. A transaction that has read the result of
    // a queued write waits for the answer to that write.
    for batch in queue.prefix(10) {
      if batch.awaitsWrites, count > 0 { break }
      sent.insert(batch.id)
      guard isOpen else { continue }
      count += 1
      // The connection ends with the first one that is rejected.
      isOpen = isCommitted(batch) || commit(batch) == nil
    }
    return count
  }

  /// Sends the current user's queue, if the device is online.
  private mutating func send() -> (answer: Answer, position: Int)? {
    guard isOnline else { return nil }
    let queue = queues[user]
    queues[user] = []
    var answer: (answer: Answer, position: Int)?
    // Positions after a transaction are left out: whether a transaction that can't succeed is sent is up to
    // the device. One that depends on a write that is rejected isn't sent.
    if let next = nextAnswer, next.position < queue.count,
      queue.prefix(next.position).allSatisfy({ $0.guards.isEmpty }), !queue[next.position].awaitsWrites,
      !isHopeless(queue[next.position]),
      next.answer == .lost || !isCommitted(queue[next.position])
    {
      (answer, nextAnswer) = (next, nil)
    }
    for (position, batch) in queue.enumerated() {
      let isRefused = answer?.position == position && answer?.answer == .refused
      if let error = isRefused ? .permissionDenied : isCommitted(batch) ? nil : commit(batch) {
        reject(batch, error)
      }
    }
    base = server
    return answer
  }

  private mutating func reject(_ batch: Batch, _ error: StoreError.Code) {
    lost.insert(batch.id)
    rejections[user].append(Rejection(code: error, batch: batch))
  }

  // MARK: - What can't succeed any more

  /// Makes later increments of the documents of a removed batch add to what is visible without it, and
  /// rejects what can't succeed without it.
  private mutating func undoEffects(of batch: Batch, from position: Int) {
    let all = queues[user]
    queues[user] = Array(all.prefix(position))
    for var later in all.dropFirst(position) {
      var shown = self.shown
      for (index, change) in later.changes.enumerated() {
        let old = shown[change.document]?.contents
        if batch.writes(to: change.document) { later.numbers[index] = old?.n ?? 0 }
        shown[change.document] = Shown(contents: change.result(on: old, addingTo: later.numbers[index]))
      }
      queues[user].append(later)
    }
    rejectHopelessBatches()
  }

  /// Rejects the current user's batches that can't succeed any more: transactions that have read the result
  /// of a write that was lost, or a version that the server has replaced since.
  private mutating func rejectHopelessBatches() {
    guard let position = queue.firstIndex(where: isHopeless) else { return }
    let batch = queues[user].remove(at: position)
    reject(batch, .failedPrecondition)
    undoEffects(of: batch, from: position)
  }

  private func isHopeless(_ batch: Batch) -> Bool {
    !sent.contains(batch.id)
      && batch.guards.contains { document, condition in
        switch condition {
        case .version(let number): base[document]?.number != number
        case .missing: false
        case .after(let writers): !lost.isDisjoint(with: writers)
        }
      }
  }
}
