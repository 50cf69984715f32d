import TenonDocuments
import TenonFoundation
import TenonStoreInterop
import TenonValues

extension EventTable {
  /// Records the event of a document for the functions whose pattern it matches.
  ///
  /// - Parameters:
  ///   - transition: the document before and after the write.
  ///   - triggers: the functions for the database.
  ///   - database: the ID of the database.
  ///   - time: the time of the commit.
  ///   - now: the current time.
  /// - Returns: whether there is such a function.
  func record(
    _ transition: DocumentTransition, for triggers: [Trigger], in database: String, at time: Timestamp,
    now: Timestamp
  ) throws -> Bool {
    let (before, after) = (transition.before, transition.after)
    let kind: EventKind
    switch (before?.fields, after.fields) {
    case (nil, nil): return false
    case (nil, _?): kind = .documentCreated
    case (_?, nil): kind = .documentDeleted
    case (_?, _?): kind = .documentUpdated
    }
    var isRecorded = false
    for trigger in triggers where trigger.kind.includes(kind) {
      guard let pattern = try? DocumentPathPattern(trigger.pattern), pattern.match(transition.path) != nil
      else { continue }
      let path = transition.path.segments.joined(separator: "/")
      let details = StoredEvent.Details(
        id: RandomText.uuid(), kind: kind, time: time.microsecondsSince1970, subject: path, place: database,
        before: before.map(Self.times), after: Self.times(after))
      try append(
        details, to: trigger.function, lane: path, before: before?.fields.map { DocumentCoding.encode($0) },
        after: after.fields.map { DocumentCoding.encode($0) }, now: now)
      isRecorded = true
    }
    return isRecorded
  }

  /// Returns the creation and the update time of a document, in microseconds since 1970.
  private static func times(_ document: RemoteDocument) -> [Int64] {
    [
      (document.createTime ?? document.updateTime).microsecondsSince1970,
      document.updateTime.microsecondsSince1970,
    ]
  }
}

extension EmbeddedDatabase {
  /// Records the event of an object in the transaction that changes it.
  func record(_ kind: EventKind, _ object: ObjectRecord) throws {
    try record(
      kind, place: object.bucket, lane: "\(object.bucket)/\(object.name)",
      StoredEvent.Details(
        id: RandomText.uuid(), kind: kind, time: now().microsecondsSince1970, subject: object.name,
        place: object.bucket, object: object))
  }

  /// Records the event of a user in the transaction that changes it.
  func record(_ kind: EventKind, _ account: Account) throws {
    try record(
      kind, place: "", lane: account.localId,
      StoredEvent.Details(
        id: RandomText.uuid(), kind: kind, time: now().microsecondsSince1970, subject: account.localId,
        user: EmbeddedUser(account)))
  }

  private func record(
    _ kind: EventKind, place: String, lane: String, _ details: StoredEvent.Details
  ) throws {
    guard recordsEvents else { return }
    let table = EventTable(connection: try opened(), projectID: projectID)
    for trigger in try table.triggers(for: place) where trigger.kind == kind {
      try table.append(details, to: trigger.function, lane: lane, now: now())
      hasNewEvents = true
    }
  }
}
