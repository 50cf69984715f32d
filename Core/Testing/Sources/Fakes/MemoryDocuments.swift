package import TenonDocuments
package import TenonStoreInterop

/// The documents of a remote in memory, as ``FakeStoreRemote`` has them for each database.
package struct MemoryDocuments: DocumentHistory {
  private struct Change {
    let moment: Timestamp
    let path: ResourcePath
    let before: RemoteDocument?
  }

  package let identity: String
  package let namePrefix: String
  package private(set) var moment = Timestamp(seconds: 1)
  private var documents: [ResourcePath: RemoteDocument] = [:]
  private var changes: [Change] = []
  /// Nothing is known of what was before this moment.
  private var horizon = Timestamp(seconds: 1)

  package init(identity: String, name: String) {
    self.identity = identity
    namePrefix = "projects/fake/databases/\(name)/documents/"
  }

  package mutating func commit(_ writes: [DocumentWrite]) throws -> RemoteCommit {
    let next = Timestamp(microsecondsSince1970: moment.microsecondsSince1970 + 1000)
    let plan = try CommitPlan(writes, at: next) { documents[$0] }
    moment = next
    for transition in plan.transitions {
      changes.append(Change(moment: next, path: transition.path, before: transition.before))
      documents[transition.path] = transition.after.fields == nil ? nil : transition.after
    }
    return plan.commit
  }

  /// Forgets how documents were before.
  package mutating func forgetChanges() {
    changes = []
    horizon = moment
  }

  package func document(_ path: ResourcePath) -> RemoteDocument? { documents[path] }

  package func forEachMatch(of query: ResolvedQuery, _ body: (RemoteDocument) throws -> Void) rethrows {
    for document in documents.values {
      if let fields = document.fields, query.matches(fields, at: document.path) { try body(document) }
    }
  }

  package func transitions(since past: Timestamp) -> [DocumentTransition]? {
    guard past.compare(horizon) >= 0, past.compare(moment) <= 0 else { return nil }
    var transitions: [ResourcePath: DocumentTransition] = [:]
    for change in changes.reversed() {
      guard change.moment.compare(past) > 0 else { break }
      let path = change.path
      let deleted = RemoteDocument(path: path, fields: nil, updateTime: change.moment)
      // The later change comes first and tells when the document went.
      let after = transitions[path]?.after ?? documents[path] ?? deleted
      transitions[path] = DocumentTransition(path: path, before: change.before, after: after)
    }
    return Array(transitions.values)
  }
}
