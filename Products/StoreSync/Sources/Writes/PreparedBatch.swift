import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// A batch with the JSON of its writes, which is encoded once even if the batch is sent in several commits.
struct PreparedBatch {
  /// The batch.
  let batch: RemoteBatch
  /// The path of the record that its commit creates; `nil` for none.
  let record: ResourcePath?
  /// The writes of the batch and of its record as the elements of a JSON array, without its brackets.
  let json: Data
  /// The documents that the batch changes.
  let documents: Set<ResourcePath>
  /// The documents that it changes only by writes whose result doesn't depend on a version: `set`, `update` and
  /// what they transform.
  let sharedDocuments: Set<ResourcePath>
  /// The number of writes and transforms.
  let operations: Int

  /// The number of writes in the commit, including that of the record.
  var writeCount: Int { batch.writes.count + (record == nil ? 0 : 1) }

  /// Encodes a batch.
  ///
  /// - Parameters:
  ///   - batch: the batch.
  ///   - isRecorded: whether a batch whose repetition could do harm gets a record.
  ///   - name: the database.
  /// - Throws: `StoreRemoteError` with `invalidArgument` if a value has no JSON form.
  init(_ batch: RemoteBatch, isRecorded: Bool, in name: DatabaseName) throws(StoreRemoteError) {
    self.batch = batch
    let record = isRecorded && batch.isHarmedByRepetition ? WriteRecords.path(of: batch.id) : nil
    self.record = record
    json = try Self.json(batch.writes + (record.map { [WriteRecords.creation(of: $0)] } ?? []), in: name)
    documents = Set(batch.writes.map(\.document))
    sharedDocuments = documents.subtracting(batch.writes.filter { !$0.mayShareCommit }.map(\.document))
    operations = batch.writes.reduce(record == nil ? 0 : 2) { $0 + 1 + $1.transforms.count }
  }

  /// Returns the body of a commit of several batches.
  ///
  /// - Parameters:
  ///   - batches: the batches.
  ///   - other: further writes that come first, encoded as ``json``; empty for none.
  static func commit(_ batches: some Sequence<PreparedBatch>, after other: Data) -> Data {
    var body = Data(#"{"writes":["#.utf8)
    var isFirst = true
    for part in [other] + batches.map(\.json) where !part.isEmpty {
      if !isFirst { body.append(UInt8(ascii: ",")) }
      isFirst = false
      body += part
    }
    body += Data("]}".utf8)
    return body
  }

  /// Returns writes as the elements of a JSON array, without its brackets.
  ///
  /// - Throws: `StoreRemoteError` with `invalidArgument` if a value has no JSON form.
  static func json(_ writes: [DocumentWrite], in name: DatabaseName) throws(StoreRemoteError) -> Data {
    var json = Data()
    for write in writes {
      if !json.isEmpty { json.append(UInt8(ascii: ",")) }
      do { json += try write.encoded(in: name) } catch {
        throw StoreRemoteError(.invalidArgument, error.message, underlying: error)
      }
    }
    return json
  }
}

extension [PreparedBatch] {
  /// The maximum size of a commit of several batches in bytes of JSON. Google's emulator accepts 4 MiB and
  /// Firestore 10 MiB, both in protobuf, whose messages are smaller.
  static var largestCommit: Int { 3 << 20 }
  /// The maximum number of writes and transforms in a commit of several batches.
  static var mostOperations: Int { 500 }

  /// Removes the first batches that may be committed together, and returns them: at least one.
  ///
  /// Several of them may change the same document by `set`, `update` and transforms, which are applied in their
  /// order. Others see the state after the last of them only, as they may miss any state between two others.
  /// Conditions on a version, on the absence of a document, and deletions are sent in a separate commit,
  /// because what they mean depends on the states in between. So are writes with a record after writes without
  /// one, and vice versa: after a lost response, the records must tell the fate of all of them.
  ///
  /// - Parameter mostRecords: the number of records that the group may create, at least 1.
  mutating func removeGroup(creating mostRecords: Int = WriteRecords.most) -> [PreparedBatch] {
    var group: [PreparedBatch] = []
    // The changed documents; with whether their writes have records if others may follow.
    var documents: [ResourcePath: Bool?] = [:]
    var (bytes, operations, records) = (0, 0, 0)
    for prepared in self {
      let isRecorded = prepared.record != nil
      bytes += prepared.json.count
      operations += prepared.operations
      records += prepared.record == nil ? 0 : 1
      guard
        group.isEmpty
          || (bytes <= Self.largestCommit && operations <= Self.mostOperations && records <= mostRecords
            && prepared.documents.allSatisfy { path in
              guard let earlier = documents[path] else { return true }
              return earlier == isRecorded && prepared.sharedDocuments.contains(path)
            })
      else { break }
      group.append(prepared)
      for path in prepared.documents {
        let isShared = prepared.sharedDocuments.contains(path) && documents[path] != .some(nil)
        documents.updateValue(isShared ? isRecorded : nil, forKey: path)
      }
    }
    removeFirst(group.count)
    return group
  }
}

extension DocumentWrite {
  /// Whether the write may be committed together with others to its document, of other batches.
  fileprivate var mayShareCommit: Bool {
    switch operation {
    case .delete: return false
    case .set, .update: break
    }
    switch precondition {
    case nil, .exists(true): return true
    case .exists(false), .updated: return false
    }
  }
}
