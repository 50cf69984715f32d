public import Observation
import TenonDocuments
import TenonFoundation
import TenonStoreEngine
import TenonValues

/// A document that is observed: its newest state, decoded, for views and other observers on the main actor.
///
/// It listens from its creation until it is released, and belongs to whatever holds it. Its properties are
/// observed individually: an observer that reads ``value`` is invalidated when the fields change, and not
/// when only the remote confirms them.
///
/// ```swift
/// let note = LiveDocument(store.document("notes/tea"), as: Note.self)
/// for await title in Observations({ note.value?.title }) { print(title ?? "none") }
/// ```
///
/// The elements of a ``LiveQuery`` are of the same type. They have no separate listener: the query keeps them
/// up to date while they are in its result.
@MainActor @Observable public final class LiveDocument<Model: Decodable> {
  /// The reference to the document.
  public nonisolated let reference: DocumentReference

  /// The newest snapshot; `nil` before the first one. It changes with the fields, the times and the metadata.
  ///
  /// The `isFromCache` of an element of a ``LiveQuery`` is that of the snapshot with which the document last
  /// changed; the element's ``isFromCache`` is current.
  public private(set) var snapshot: DocumentSnapshot?
  /// Whether neither a snapshot nor an error has arrived.
  public private(set) var isLoading: Bool
  /// Whether the document contains writes of this device that the remote hasn't confirmed.
  public private(set) var hasPendingWrites = false

  /// The fields, which ``value`` is decoded from; `nil` if the document doesn't exist or isn't known yet.
  private var fields: Fields?
  /// Why the listener ended; `nil` while it is active.
  private var listenerError: StoreError?
  /// Whether the remote hasn't confirmed the state, shared by the documents of a query.
  private let freshness: LiveFreshness
  /// ``fields``, decoded; `nil` until ``value`` or ``error`` is read.
  @ObservationIgnored private var decoded: Result<Model, StoreError>?
  /// Reads the listener's stream; `nil` if a query keeps the document up to date.
  @ObservationIgnored private var reader: MainActorReader?

  /// Starts to listen to a document.
  ///
  /// - Parameters:
  ///   - reference: the document. If its path breaks a rule, ``error`` says so.
  ///   - type: the type that ``value`` decodes; see ``DocumentSnapshotConvertible/data(as:with:)``.
  ///   - source: whether the remote is asked for changes.
  public convenience init(
    _ reference: DocumentReference, as type: Model.Type = Model.self, source: ListenSource = .default
  ) {
    self.init(reference, freshness: LiveFreshness(of: reference.store))
    reader = MainActorReader(
      reference.snapshots(includeMetadataChanges: true, source: source),
      receive: { [weak self] snapshot in
        self?.freshness.update(snapshot.metadata)
        self?.receive(snapshot)
      },
      end: { [weak self] error in self?.end(error) })
  }

  /// Creates a document that receives its snapshots from its owner.
  init(_ reference: DocumentReference, freshness: LiveFreshness) {
    self.reference = reference
    self.freshness = freshness
    isLoading = true
  }

  /// The document as a model; `nil` if it doesn't exist, can't be decoded (see ``error``), or isn't known
  /// yet.
  ///
  /// It is decoded when it is first read, and again only after the fields have changed. Server timestamps
  /// that aren't known yet are estimated.
  public var value: Model? {
    switch decode() {
    case .success(let value): value
    case .failure, nil: nil
    }
  }

  /// Why the listener ended, or why the document can't be decoded; `nil` if neither is the case.
  ///
  /// A listener that has ended receives nothing more, and the last state remains. After an error that names a
  /// field, the next change of the document may succeed.
  public var error: StoreError? {
    if let listenerError { return listenerError }
    if case .failure(let error) = decode() { return error }
    return nil
  }

  /// Whether the document exists; `false` before the first snapshot.
  public var exists: Bool { fields != nil }

  /// Whether the remote hasn't confirmed that the state is current; also `true` before the first snapshot.
  /// Always `false` in a local-only database.
  public var isFromCache: Bool { freshness.isFromCache }

  /// Replaces the state. Observers of what is unchanged aren't invalidated.
  func receive(_ new: DocumentSnapshot) {
    if fields != new.fields {
      fields = new.fields
      // After the assignment: observers are notified before it, and one that reads the value then decodes the
      // old fields.
      decoded = nil
    }
    if hasPendingWrites != new.metadata.hasPendingWrites { hasPendingWrites = new.metadata.hasPendingWrites }
    if snapshot?.isSame(as: new) != true { snapshot = new }
    if isLoading { isLoading = false }
  }

  /// Notes that the listener has ended.
  private func end(_ error: (any Error)?) {
    listenerError = .ofLiveListener(error)
    if isLoading { isLoading = false }
  }

  /// Returns the decoded fields; `nil` if there are none. Reading ``fields`` registers the observer.
  private func decode() -> Result<Model, StoreError>? {
    guard let fields else { return nil }
    if let decoded { return decoded }
    let made: Result<Model, StoreError>
    do { made = .success(try FieldsDecoder().decode(Model.self, from: fields, of: reference)) } catch {
      made = .failure(.undecodable(reference, as: Model.self, error))
    }
    decoded = made
    return made
  }
}

extension LiveDocument: nonisolated Identifiable {
  /// The document's path, which is unique in a result.
  public nonisolated var id: String { reference.path }
}

/// Whether the remote has confirmed the state of a document or of all documents of a query.
///
/// It is one object for a whole result, so that a confirmation costs the same for any number of documents.
@MainActor @Observable final class LiveFreshness {
  /// Whether the remote hasn't confirmed that the state is current.
  private(set) var isFromCache: Bool

  /// - Parameter store: the database; a local-only one has no remote that could confirm anything.
  init(of store: Store) { isFromCache = !store.isLocalOnly }

  /// Takes over the state of a snapshot.
  func update(_ metadata: SnapshotMetadata) {
    if isFromCache != metadata.isFromCache { isFromCache = metadata.isFromCache }
  }
}

extension DocumentSnapshot {
  /// Whether another snapshot of the same document has the same content and metadata.
  fileprivate func isSame(as other: DocumentSnapshot) -> Bool {
    metadata == other.metadata && updateTime == other.updateTime && createTime == other.createTime
      && fields == other.fields
  }
}

extension StoreError {
  /// Returns the error of a live object whose listener has ended.
  ///
  /// - Parameter error: the listener's error; `nil` if the database was closed.
  static func ofLiveListener(_ error: (any Error)?) -> StoreError {
    guard let error else {
      return StoreError(.closed, "The database was closed, so this is no longer updated. Listen again.")
    }
    return error as? StoreError ?? StoreError(.unknown, "\(error)", underlying: error)
  }

  /// Returns the error for a document that can't be decoded, which names the document.
  fileprivate static func undecodable<Model>(
    _ reference: DocumentReference, as type: Model.Type, _ error: any Error
  ) -> StoreError {
    let reason = (error as? DecodingError).map(Self.reason) ?? "\(error)"
    return StoreError(
      .invalidArgument, "The document \(reference.path) can't be decoded as \(type): \(reason)",
      underlying: error)
  }

  /// Returns what a decoding error says, with the field if it has one.
  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .typeMismatch(let type, let context):
      text(context, context.codingPath, "expected \(type); ")
    case .valueNotFound(let type, let context):
      text(context, context.codingPath, "expected \(type); ")
    case .keyNotFound(let key, let context): text(context, context.codingPath + [key])
    case .dataCorrupted(let context): text(context, context.codingPath)
    @unknown default: "\(error)"
    }
  }

  /// Returns the sentence of a decoding error behind the path of its field.
  private static func text(
    _ context: DecodingError.Context, _ path: [any CodingKey], _ expectation: String = ""
  ) -> String {
    (path.isEmpty ? "" : path.map(\.stringValue).joined(separator: ".") + ": ") + expectation
      + context.debugDescription
  }
}
