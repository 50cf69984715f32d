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
  /// No two of them change the same document: the versions of a document would otherwise be the same after
  /// both, and Store couldn't tell which of its states is the later one.
  ///
  /// - Parameter mostRecords: the number of records that the group may create, at least 1.
  mutating func removeGroup(creating mostRecords: Int = WriteRecords.most) -> [PreparedBatch] {
    var group: [PreparedBatch] = []
    var documents: Set<ResourcePath> = []
    var (bytes, operations, records) = (0, 0, 0)
    for prepared in self {
      bytes += prepared.json.count
      operations += prepared.operations
      records += prepared.record == nil ? 0 : 1
      guard
        group.isEmpty
          || (bytes <= Self.largestCommit && operations <= Self.mostOperations && records <= mostRecords
            && documents.isDisjoint(with: prepared.documents))
      else { break }
      group.append(prepared)
      documents.formUnion(prepared.documents)
    }
    removeFirst(group.count)
    return group
  }
}
