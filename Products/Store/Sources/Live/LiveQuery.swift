public import Observation
import TenonFoundation
import TenonStoreEngine

/// The documents of a query, observed: their newest state, decoded, for views and other observers on the main
/// actor.
///
/// It listens from its creation until it is released, and belongs to whatever holds it. Each element is a
/// separate, observed ``LiveDocument``, so a change to one document invalidates the observers of that element
/// only. The observers of ``documents`` are invalidated when documents are added, removed or moved.
///
/// ```swift
/// struct Notes: View {
///   @State var notes = LiveQuery(store.collection("notes").order(by: "title"), as: Note.self)
///
///   var body: some View {
///     ForEach(notes.documents) { note in Row(note: note) }   // Row reads note.value
///   }
/// }
/// ```
@MainActor @Observable public final class LiveQuery<Model: Decodable> {
  /// The documents, in the query's order.
  ///
  /// An element stays the same object while its document is in the result, also when it moves. It keeps its
  /// last state after that; a document that returns to the result gets a new element.
  public private(set) var documents: [LiveDocument<Model>] = []
  /// The newest snapshot; `nil` before the first one. Its observers are invalidated by every change.
  public private(set) var snapshot: QuerySnapshot?
  /// Whether neither a snapshot nor an error has arrived.
  public private(set) var isLoading = true
  /// Whether the result contains writes of this device that the remote hasn't confirmed.
  public private(set) var hasPendingWrites = false
  /// Why the listener ended; `nil` while it is active.
  ///
  /// A listener that has ended receives nothing more, and the last result remains. Create another object to
  /// listen again. A document that can't be decoded doesn't end the listener: ``LiveDocument/error`` of its
  /// element names it.
  public private(set) var error: StoreError?

  /// Whether the remote hasn't confirmed the result, shared with the elements.
  private let freshness: LiveFreshness
  /// Reads the listener's stream.
  @ObservationIgnored private var reader: MainActorReader?

  /// Starts to listen to a query.
  ///
  /// - Parameters:
  ///   - query: the collection or query. If it breaks a rule, ``error`` says so.
  ///   - type: the type that the values of ``documents`` decode; see
  ///     ``DocumentSnapshotConvertible/data(as:with:)``.
  ///   - source: whether the remote is asked for changes.
  public init(_ query: some Queryable, as type: Model.Type = Model.self, source: ListenSource = .default) {
    freshness = LiveFreshness(of: query.query.store)
    reader = MainActorReader(
      query.snapshots(includeMetadataChanges: true, source: source), prepare: { $0.prepareForRows() },
      receive: { [weak self] in self?.receive($0) }, end: { [weak self] in self?.end($0) })
  }

  /// The documents that exist and can be decoded, in the query's order. It is invalidated when any of them
  /// changes; the elements of ``documents`` are observed individually.
  ///
  /// - Complexity: O(n). Only documents that have changed since they were last read are decoded.
  public var values: [Model] { documents.compactMap(\.value) }

  /// Whether the remote hasn't confirmed that the result is current; also `true` before the first snapshot.
  /// Always `false` in a local-only database.
  public var isFromCache: Bool { freshness.isFromCache }

  /// Takes over a snapshot. Observers of what is unchanged aren't invalidated.
  private func receive(_ new: QuerySnapshot) {
    freshness.update(new.metadata)
    let rows =
      new.changesManyRows
      ? rows(of: new.documents) : rows(after: new.documentChanges) ?? rows(of: new.documents)
    if !rows.elementsEqual(documents, by: ===) { documents = rows }
    if hasPendingWrites != new.metadata.hasPendingWrites { hasPendingWrites = new.metadata.hasPendingWrites }
    snapshot = new
    if isLoading { isLoading = false }
  }

  /// Notes that the listener has ended.
  private func end(_ error: (any Error)?) {
    self.error = .ofLiveListener(error)
    if isLoading { isLoading = false }
  }

  // MARK: - Elements

  /// Returns the elements after some changes, and updates those whose documents have changed.
  ///
  /// - Returns: `nil` if the changes don't belong to the present elements.
  /// - Complexity: O(k·n) for k changes among n documents, where only references are moved.
  private func rows(after changes: [DocumentChange]) -> [LiveDocument<Model>]? {
    var rows = documents
    for change in changes {
      var row: LiveDocument<Model>?
      if let index = change.oldIndex {
        guard rows.indices.contains(index), rows[index].reference == change.document.reference else {
          return nil
        }
        if change.newIndex == index {
          rows[index].receive(change.document.documentSnapshot)
          continue
        }
        row = rows.remove(at: index)
      }
      guard let index = change.newIndex else { continue }
      guard index <= rows.count else { return nil }
      let moved = row ?? LiveDocument(change.document.reference, freshness: freshness)
      moved.receive(change.document.documentSnapshot)
      rows.insert(moved, at: index)
    }
    return rows
  }

  /// Returns the elements for the documents of a result: the present ones, updated, and new ones.
  ///
  /// - Complexity: O(n) for n documents.
  private func rows(of result: [QueryDocumentSnapshot]) -> [LiveDocument<Model>] {
    let present = Dictionary(documents.map { ($0.reference.resourcePath, $0) }) { first, _ in first }
    return result.map { document in
      let row =
        present[document.reference.resourcePath]
        ?? LiveDocument(document.reference, freshness: freshness)
      row.receive(document.documentSnapshot)
      return row
    }
  }
}

extension QuerySnapshot {
  /// Whether so much has changed that the elements of a ``LiveQuery`` are compared one by one, which costs
  /// O(n), instead of being moved by each change, which costs O(n) for each.
  fileprivate var changesManyRows: Bool { documentChanges.count > count / 8 }

  /// Computes what ``LiveQuery`` reads on the main actor.
  fileprivate func prepareForRows() { if changesManyRows { _ = documents } }
}
