import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

extension LocalStore {
  /// The documents of a query on this device, and those that the remote has said belong to it.
  struct QueryResult {
    let documents: [StoredDocument]
    let remoteKeys: Set<ResourcePath>
  }

  /// Gives a target its number: that which it had before, or a new even one.
  func allocate(_ target: SyncTarget) throws -> TargetData {
    if let number = targetNumbers[target], let data = targets[number] { return data }
    return try transaction(.allocateTarget) {
      var data: TargetData
      if let known = try targetRow(of: target) {
        data = known
      } else {
        let id = Int(try global("target").integer ?? 0) + 2
        try setGlobal("target", .integer(id))
        data = TargetData(id: id, target: target)
        data.sequence = sequence
        try save(data)
      }
      targets[data.id] = data
      targetNumbers[target] = data.id
      return data
    }
  }

  private func targetRow(of target: SyncTarget) throws -> TargetData? {
    try database.first(
      "SELECT id, token, version, complete_version, sequence FROM targets WHERE canonical = ?",
      [.blob(target.canonical)]
    ) { row in
      var data = TargetData(id: Int(row.integer(0)), target: target)
      data.token = row.blob(1)
      data.version = Timestamp(microsecondsSince1970: row.integer(2))
      data.completeVersion = Timestamp(microsecondsSince1970: row.integer(3))
      data.sequence = row.integer(4)
      return data
    }
  }

  func save(_ data: TargetData) throws {
    try database.run(
      """
      INSERT OR REPLACE INTO targets (id, canonical, token, version, complete_version, sequence) \
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(data.id), .blob(data.target.canonical), .blob(data.token),
        .integer(data.version.microsecondsSince1970), .integer(data.completeVersion.microsecondsSince1970),
        .integer(data.sequence),
      ])
  }

  /// Notes that nobody listens to a target any more. If that can't be written down, the target is older than it should be
  /// the next time.
  func release(target id: Int) throws {
    guard var data = targets[id] else { return }
    do {
      try transaction(.releaseTarget) {
        if case .eager = collection {
          released.formUnion(try keys(of: id))
          try removeTarget(id)
        } else {
          data.sequence = sequence
          try save(data)
        }
      }
    } catch let error as SQLiteError where error.mayPass {
      // The next listening begins with what was written last.
    }
    targets[id] = nil
    targetNumbers[data.target] = nil
  }

  func removeTarget(_ id: Int) throws {
    try database.run("DELETE FROM target_documents WHERE target = ?", [.integer(id)])
    try database.run("DELETE FROM targets WHERE id = ?", [.integer(id)])
  }

  /// The documents that the remote has said belong to a target.
  func keys(of target: Int) throws -> Set<ResourcePath> {
    Set(
      try database.rows(
        "SELECT collection, name FROM target_documents WHERE target = ?", [.integer(target)]
      ) { try path(of: $0.integer(0)).appending($0.text(1)) })
  }

  func addKeys(_ keys: some Sequence<ResourcePath>, to target: Int) throws {
    for key in keys {
      let place = try place(of: key)
      try database.run(
        "INSERT OR IGNORE INTO target_documents (target, collection, name) VALUES (?, ?, ?)",
        [.integer(target), .integer(place.collection), .text(place.name)])
      try use(key)
    }
  }

  func removeKeys(_ keys: some Sequence<ResourcePath>, from target: Int) throws {
    for key in keys {
      let place = try place(of: key)
      try database.run(
        "DELETE FROM target_documents WHERE target = ? AND collection = ? AND name = ?",
        [.integer(target), .integer(place.collection), .text(place.name)])
      try use(key)
    }
  }

  /// The documents of a view.
  ///
  /// What a target's last complete result hadn't, and what hasn't changed since, is left out: this device has seen it in an
  /// older state, and nobody has told what became of it.
  ///
  /// - Parameters:
  ///   - query: what is shown.
  ///   - target: the target whose results are known.
  func execute(_ query: ViewQuery, knowing target: TargetData?) throws -> QueryResult {
    if let error = simulatedFailure(.query) { throw error }
    return try reading {
      let remoteKeys = try target.map { try keys(of: $0.id) } ?? []
      switch query.content {
      case .document(let path):
        return QueryResult(documents: try document(path).map { [$0] } ?? [], remoteKeys: remoteKeys)
      case .query(let query):
        var documents = try documents(of: query.run)
        if let complete = target?.completeVersion, complete != .zero, query.run.isSelective {
          documents.removeAll { document in
            !remoteKeys.contains(document.path) && !document.hasLocalMutations
              && document.updateTime.compare(complete) <= 0
          }
        }
        return QueryResult(documents: documents, remoteKeys: remoteKeys)
      }
    }
  }

  /// The documents that follow one in a query with a limit; those that come before it if the limit counts from the end.
  ///
  /// - Parameter limit: how many, instead of the query's own limit.
  /// - Returns: `nil` when that can't be told by the document's values, because only their beginnings count in the order.
  func documents(
    of query: ViewQuery, beyond document: StoredDocument, limit: Int
  ) throws -> [StoredDocument]? {
    if let error = simulatedFailure(.query) { throw error }
    guard case .query(let query) = query.content else { return nil }
    // The query is run from the end where its limit counts.
    let values = query.run.orders.compactMap { document.fields.value(of: $0.field, at: document.path) }
    guard values.count == query.run.orders.count,
      zip(query.run.orders, values).allSatisfy({ order, value in
        order.field == .documentID() || IndexEncoding.encode(value).count < IndexEncoding.limit
      })
    else { return nil }
    var rest = query.run.completed
    rest.start = QueryCursor(values: values, isInclusive: false)
    rest.limit = limit
    return try documents(
      of: try checked { () throws(DocumentError) in try ResolvedQuery(rest) })
  }

  // MARK: - What views show

  /// Notes which documents views have begun and ceased to show, and which targets' results are complete. What is to be
  /// written down of it is written with the next change, so that telling listeners doesn't wait for the disk.
  func note(_ changes: [LocalViewChange]) throws {
    for change in changes {
      for path in change.added { viewed[path, default: 0] += 1 }
      for path in change.removed {
        let count = (viewed[path] ?? 0) - 1
        viewed[path] = count > 0 ? count : nil
        if count <= 0 { unviewed.insert(path) }
      }
    }
    if let error = simulatedFailure(.localViewChanges) { throw error }
    for change in changes where !change.isFromCache {
      if let data = targets[change.target] { targets[change.target]?.completeVersion = data.version }
    }
    // In memory nothing is kept that nobody needs.
    if case .eager = collection, !unviewed.isEmpty { try transaction(.localViewChanges) {} }
  }
}

/// What a view has begun and ceased to show.
struct LocalViewChange {
  let target: Int
  let isFromCache: Bool
  var added: [ResourcePath] = []
  var removed: [ResourcePath] = []
}

extension SQLiteError {
  /// Whether the same may work later: the disk was full, or failed, or somebody held the lock.
  var mayPass: Bool { [.busy, .full, .io, .cannotOpen].contains(code) }
}

extension ResolvedQuery {
  /// Whether the query leaves documents of its collection out, and all that it leaves out for what they hold.
  fileprivate var isSelective: Bool {
    query.limit == nil
      && (query.filter != nil || query.start != nil || query.end != nil || !query.orders.isEmpty)
  }
}
