import TenonCore
import TenonDocuments
import TenonFoundation
import TenonStoreInterop

extension FirestoreRemote {
  /// Applies one batch, without a record.
  ///
  /// If its repetition could do no harm, it is repeated after a failure of the connection.
  func commit(_ batch: RemoteBatch, in context: RemoteContext) async throws -> RemoteCommit {
    let prepared = try PreparedBatch(batch, isRecorded: false, in: databaseName(context))
    return try await commit([prepared], in: context)[0]
  }

  /// Commits several batches together.
  ///
  /// - Parameters:
  ///   - group: the batches, which are applied in their order, all of them or none.
  ///   - records: the records to delete in the same commit.
  ///   - context: the database and the user.
  /// - Returns: the results, one per batch.
  /// - Throws: `StoreRemoteError`; `CancellationError`. After a transient error, whether the batches were
  ///   applied is unknown.
  func commit(
    _ group: [PreparedBatch], deleting records: [ResourcePath] = [], in context: RemoteContext
  ) async throws -> [RemoteCommit] {
    let name = databaseName(context)
    let deletions = try PreparedBatch.json(records.map { DocumentWrite($0, .delete) }, in: name)
    let response = try await client.response(
      to: FirestoreClient.Call(
        method: "commit", body: PreparedBatch.commit(group, after: deletions), context: context,
        isRepeatable: group.allSatisfy { $0.record != nil || !$0.batch.isHarmedByRepetition }))
    let count = group.reduce(records.count) { $0 + $1.writeCount }
    let commit: RemoteCommit
    if count == 0, response["commitTime"] == nil {
      // Google's emulator sends no time if there are no writes. No document has it as its version.
      commit = RemoteCommit(time: Timestamp(date: client.time.date()), results: [])
    } else {
      do { commit = try RemoteCommit(response, in: name) } catch {
        throw StoreRemoteError(undecodable: error)
      }
    }
    guard commit.results.count == count else { throw FirestoreClient.incomplete }
    var rest = commit.results.dropFirst(records.count)
    return group.map { prepared in
      let results = Array(rest.prefix(prepared.batch.writes.count))
      // Checked: a count, and at least as many results remain.
      rest = rest.dropFirst(prepared.writeCount)
      return RemoteCommit(time: commit.time, results: results)
    }
  }

  /// Returns the results of those batches of a group that were applied before, as their records show.
  ///
  /// The results are those of the state directly after the commit. Without permission to read it, or more
  /// than an hour later, those that depend on it are left out.
  ///
  /// - Throws: `StoreRemoteError`; `CancellationError`.
  func appliedCommits(
    of group: [PreparedBatch], in context: RemoteContext
  ) async throws -> [UUID: RemoteCommit] {
    let batches = group.compactMap { prepared in prepared.record.map { ($0, prepared) } }
    let records = try await fetch(batches.map(\.0), at: nil, in: context)
    var commits: [UUID: RemoteCommit] = [:]
    for record in records {
      guard let fields = record.fields,
        let prepared = batches.first(where: { $0.0 == record.path })?.1
      else { continue }
      let time = record.createTime ?? record.updateTime
      var documents: [ResourcePath: RemoteDocument]?
      do {
        let found = try await fetch(Array(prepared.documents), at: time, in: context)
        documents = Dictionary(found.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
      } catch let error as StoreRemoteError where !error.isTransient {
        documents = nil
      }
      commits[prepared.batch.id] = RemoteCommit(
        time: time,
        results: prepared.batch.writes.map {
          RemoteCommit.Result(
            of: $0, at: time, on: documents?[$0.document], serverTimestamp: fields[WriteRecords.timeField])
        })
    }
    return commits
  }
}

extension RemoteCommit.Result {
  /// Derives the result of a write from the state of its document directly after the commit.
  ///
  /// - Parameters:
  ///   - write: the write.
  ///   - time: the time of the commit.
  ///   - document: the state; `nil` if it isn't known. The results then end before the first that depends on
  ///     it.
  ///   - serverTimestamp: the value of all server timestamps of the commit; `nil` if it isn't known.
  init(
    of write: DocumentWrite, at time: Timestamp, on document: RemoteDocument?, serverTimestamp: Value?
  ) {
    self.init()
    // A write without effect has left the document with an earlier time.
    if let document, document.fields != nil, document.updateTime != time { updateTime = document.updateTime }
    for transform in write.transforms {
      switch transform.kind {
      case .union, .remove: transformResults.append(.null)
      case .serverTimestamp:
        guard let value = serverTimestamp ?? document?.fields?[transform.field] else { return }
        transformResults.append(value)
      case .increment, .minimum, .maximum:
        guard let value = document?.fields?[transform.field] else { return }
        transformResults.append(value)
      }
    }
  }
}
