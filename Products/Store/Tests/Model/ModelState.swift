@testable import TenonStore

/// What can be observed of the device and the server after a step.
struct ModelState {
  /// The documents as the current user sees them in the cache, by ID.
  var documents: [String: Fields] = [:]
  /// The documents that a listener has received; `nil` while the device is offline.
  var received: [String: Fields]?
  /// The documents with pending writes.
  var pending: Set<String> = []
  /// The writes of each queued batch.
  var queue: [[DocumentWrite]] = []
  /// The code and the writes of each rejected batch, in no order.
  var rejections: [(code: StoreError.Code, writes: [DocumentWrite])] = []
  var server: [String: Fields] = [:]

  /// Creates the state of the device and the server with nothing.
  init() {}

  /// Creates the state that a model predicts.
  init(of model: OfflineModel) {
    for (document, shown) in model.shown {
      guard let contents = shown.contents else { continue }
      documents[ModelChange.id(document)] = contents.fields
      if shown.isPending { pending.insert(ModelChange.id(document)) }
    }
    if model.isOnline { received = documents }
    queue = model.queue.map { $0.changes.map(\.write) }
    rejections = model.rejections[model.user].map { rejection in
      (
        Self.withoutReason(rejection.code, isTransaction: !rejection.batch.guards.isEmpty),
        rejection.batch.changes.map(\.write)
      )
    }
    for (document, version) in model.server { server[ModelChange.id(document)] = version.contents.fields }
  }

  /// Returns the code of a rejection. A transaction is rejected because one of its conditions doesn't hold;
  /// which of them is named, and by which code, isn't promised.
  static func withoutReason(_ code: StoreError.Code, isTransaction: Bool) -> StoreError.Code {
    let conditions: [StoreError.Code] = [.notFound, .alreadyExists, .failedPrecondition, .aborted]
    return isTransaction && conditions.contains(code) ? .failedPrecondition : code
  }

  /// Returns what differs from the state that the model predicts; `nil` if nothing does.
  func difference(from expected: ModelState) -> String? {
    if documents != expected.documents {
      return "visible are \(Self.text(documents)) instead of \(Self.text(expected.documents))"
    }
    if let received, let wanted = expected.received, received != wanted {
      return "the listener has \(Self.text(received)) instead of \(Self.text(wanted))"
    }
    if pending != expected.pending {
      return "pending are \(pending.sorted()) instead of \(expected.pending.sorted())"
    }
    if server != expected.server {
      return "the server has \(Self.text(server)) instead of \(Self.text(expected.server))"
    }
    if queue.count != expected.queue.count
      || !zip(queue, expected.queue).allSatisfy({ Self.isSame($0, as: $1) })
    {
      return "queued are \(Self.text(queue)) instead of \(Self.text(expected.queue))"
    }
    var rest = rejections
    for rejection in expected.rejections {
      let isTransaction = rejection.code == .failedPrecondition
      guard
        let index = rest.firstIndex(where: {
          Self.withoutReason($0.code, isTransaction: isTransaction) == rejection.code
            && Self.isSame($0.writes, as: rejection.writes)
        })
      else {
        return "\(Self.text([rejection.writes])) isn't listed as rejected with \(rejection.code.rawValue)"
      }
      rest.remove(at: index)
    }
    return rest.first.map { "\(Self.text([$0.writes])) is listed as rejected with \($0.code.rawValue)" }
  }

  /// Returns whether a batch makes the writes that an app has made. Its conditions may be stricter.
  private static func isSame(_ batch: [DocumentWrite], as writes: [DocumentWrite]) -> Bool {
    batch.count == writes.count
      && zip(batch, writes).allSatisfy {
        $0.document == $1.document && $0.operation == $1.operation && $0.transforms == $1.transforms
      }
  }

  private static func text(_ documents: [String: Fields]) -> String {
    "{\(documents.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
  }

  private static func text(_ batches: [[DocumentWrite]]) -> String {
    let texts = batches.map { $0.map { "\($0.operation) of \($0.document.text)" }.joined(separator: " and ") }
    return "[\(texts.joined(separator: ", "))]"
  }
}
