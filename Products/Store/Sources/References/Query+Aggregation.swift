import TenonDocuments
import TenonFoundation
import TenonStoreEngine
import TenonStoreInterop
public import TenonValues

/// A value computed over the documents of a query.
public struct AggregateField: Sendable, Hashable, CustomStringConvertible {
  let aggregation: QueryAggregation

  /// The number of documents.
  public static func count() -> AggregateField { AggregateField(aggregation: .count) }

  /// The sum of a field's numbers: an integer if all of them are integers and the sum fits, otherwise a
  /// double.
  ///
  /// - Parameter field: the field's name, with dots between the names of maps, or its path.
  public static func sum(_ field: some FieldPathConvertible) -> AggregateField {
    AggregateField(aggregation: .sum(field.fieldPath))
  }

  /// The average of a field's numbers; null if there are none.
  ///
  /// - Parameter field: the field's name, with dots between the names of maps, or its path.
  public static func average(_ field: some FieldPathConvertible) -> AggregateField {
    AggregateField(aggregation: .average(field.fieldPath))
  }

  /// The value, for example `sum(price)`.
  public var description: String {
    switch aggregation {
    case .count: "count"
    case .sum(let field): "sum(\(field))"
    case .average(let field): "average(\(field))"
    }
  }
}

/// The results of an aggregation at one time.
public struct AggregateQuerySnapshot: Sendable, Equatable, CustomStringConvertible {
  private let values: [AggregateField: Value]

  init(_ fields: [AggregateField], _ values: [Value]) {
    self.values = Dictionary(zip(fields, values)) { first, _ in first }
  }

  /// The number of documents; `nil` if it wasn't requested.
  public var count: Int? { values[.count()]?.intValue }

  /// Returns a result as a plain Swift value, as
  /// ``DocumentSnapshotConvertible/get(_:serverTimestampBehavior:)`` does for a field: an `Int` or a
  /// `Double`, null for the average of no numbers; `nil` if it wasn't requested.
  ///
  /// A count is an `Int`, an average a `Double`, and a sum an `Int` if all its numbers are integers.
  public func get(_ field: AggregateField) -> (any Sendable)? {
    switch values[field] {
    case nil: nil
    case .integer(let value)?: Int(exactly: value) ?? value
    case .double(let value)?: value
    default: FoundationObjects.null
    }
  }

  /// A result with its Firestore type: an integer or a double, null for the average of no numbers; `nil` if
  /// it wasn't requested.
  public subscript(field: AggregateField) -> Value? { values[field] }

  /// The results on one line, for example `[count: 3, sum(price): 12]`.
  public var description: String {
    "[" + values.map { "\($0.key): \($0.value)" }.sorted().joined(separator: ", ") + "]"
  }
}

/// Values computed over the documents of a query.
///
/// As on the server, only documents that have every aggregated field are counted; fields that aren't numbers
/// add nothing.
public struct AggregateQuery: Sendable {
  /// The query.
  public let query: Query
  private let fields: [AggregateField]

  init(_ query: Query, _ fields: [AggregateField]) { (self.query, self.fields) = (query, fields) }

  /// Computes the values.
  ///
  /// On this device, the index answers counts, and aggregations of a single field, without reading documents
  /// if it determines the documents of the query; otherwise they are read.
  ///
  /// - Parameter source: where they are computed. By default the remote computes them, without the writes
  ///   that are pending on this device; if it can't be reached, or there is none, they are computed over the
  ///   documents of this device.
  /// - Throws: ``StoreError``; with ``StoreError/Code/invalidArgument`` if the query breaks a rule, with
  ///   ``StoreError/Code/unavailable`` if only the remote is asked and can't be reached, and with
  ///   ``StoreError/Code/failedPrecondition`` if only the remote is asked and the collection exists only on
  ///   this device.
  public func getAggregation(source: FirestoreSource = .default) async throws -> AggregateQuerySnapshot {
    AggregateQuerySnapshot(fields, try await values(source))
  }

  /// Computes the values, in the order of the requested fields.
  private func values(_ source: FirestoreSource) async throws -> [Value] {
    let aggregations = fields.map(\.aggregation)
    let engine = query.store.engine
    let run = try query.runnable().run
    if let ordered = try? run.ordered(forAggregating: aggregations) { engine.requiredIndexes.add(ordered) }
    let isLocal = try await engine.isLocal(query.structure.collectionID)
    if isLocal, source == .server { throw StoreError.onlyOnDevice(query.structure.collectionID) }
    if !query.store.isLocalOnly, !isLocal, source != .cache {
      let session = await engine.beginReading(.query(run.completed))
      if let values = try await session?.aggregate(run, aggregations) { return values }
      if source == .server {
        throw engine.unavailable("The server can't aggregate")
      }
    }
    return try await engine.aggregate(aggregations, over: run)
  }

  /// The values now, and each time they change.
  ///
  /// They are computed on this device from all documents of the query, which are listened to, so that pending
  /// writes count. A slow reader skips states. The listener ends with the iteration; a query that breaks a
  /// rule ends the stream with its error.
  public var snapshots: AsyncThrowingStream<AggregateQuerySnapshot, any Error> {
    let documents = query.snapshots
    let state = AggregateStream(iterator: documents.makeAsyncIterator(), fields: fields)
    return AsyncThrowingStream { try await state.next() }
  }
}

extension QuerySource {
  /// The number of documents of the query: `try await notes.count.getAggregation().count`.
  public var count: AggregateQuery { aggregate([.count()]) }

  /// Returns a query for counts, sums and averages over the documents of the query.
  ///
  /// ```swift
  /// let result = try await orders.aggregate([.count(), .sum("price")]).getAggregation(source: .server)
  /// print(result.count ?? 0, result[.sum("price")]?.doubleValue ?? 0)
  /// ```
  ///
  /// - Parameter fields: the values to compute.
  public func aggregate(_ fields: [AggregateField]) -> AggregateQuery { AggregateQuery(query, fields) }

  /// Returns a query for counts, sums and averages over the documents of the query:
  /// `aggregate(.count(), .sum("price"))` is `aggregate([.count(), .sum("price")])`.
  ///
  /// - Parameter fields: the values to compute.
  public func aggregate(_ fields: AggregateField...) -> AggregateQuery { AggregateQuery(query, fields) }

  /// Returns how the query is answered on this device, and how many index entries are currently read. The
  /// query is run for that; the remote isn't asked, and no index is registered.
  ///
  /// - Throws: ``StoreError``, in particular with ``StoreError/Code/invalidArgument`` if the query breaks a
  ///   rule.
  public func explain() async throws -> QueryExplanation {
    let query = query
    let run = try query.runnable().run
    return try await query.store.engine.explain(run)
  }
}

/// Computes aggregations from the snapshots of a query. Consecutive equal results are delivered once.
private actor AggregateStream {
  private var iterator: AsyncThrowingStream<QuerySnapshot, any Error>.Iterator
  private let fields: [AggregateField]
  private var last: AggregateQuerySnapshot?

  init(iterator: AsyncThrowingStream<QuerySnapshot, any Error>.Iterator, fields: [AggregateField]) {
    self.iterator = iterator
    self.fields = fields
  }

  func next() async throws -> AggregateQuerySnapshot? {
    while true {
      var iterator = iterator
      guard let documents = try await iterator.next(isolation: #isolation) else { return nil }
      var state = AggregationState(fields.map(\.aggregation))
      for document in documents.documents { state.add(document.fields) }
      let snapshot = AggregateQuerySnapshot(fields, state.values)
      guard snapshot != last else { continue }
      last = snapshot
      return snapshot
    }
  }
}
