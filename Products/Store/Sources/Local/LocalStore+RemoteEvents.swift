import Foundation
import TenonDocuments
import TenonSQLite
import TenonStoreInterop

/// What happened to all targets up to a moment on which they agree.
struct RemoteEvent {
  /// The moment; 0 when there is none, because a single document was looked up in vain.
  var version: Timestamp
  var targetChanges: [Int: TargetState.Change] = [:]
  /// The targets whose number of documents differed, and as what they are asked for anew.
  var mismatches: [Int: ListenTarget.Purpose] = [:]
  var documents: [ResourcePath: BaseDocument] = [:]
  /// The documents that were only asked for because nobody knew whether they still belong to a result.
  var resolvedLimboDocuments: Set<ResourcePath> = []
}

extension LocalStore {
  /// How long a token may be newer than the one that is kept, when nothing else has to be written.
  private static let tokenAge: Int64 = 5 * 60 * 1_000_000

  /// The last moment at which all targets agreed. Those of other processes that use the file now don't count: their streams
  /// may be ahead.
  func lastRemoteVersion() throws -> Timestamp {
    if let error = simulatedFailure(.lastRemoteVersion) { throw error }
    return remoteVersion
  }

  /// Takes in what the remote has told. A document never goes back to an older version.
  func apply(_ event: RemoteEvent) throws -> Outcome<Void> {
    try changing(.remoteEvent) {
      for (id, change) in event.targetChanges { try apply(change, to: id, event) }
      for (path, document) in event.documents {
        if event.resolvedLimboDocuments.contains(path) { try use(path) }
        try apply(document, at: path)
      }
      if event.version != .zero {
        remoteVersion = event.version
        let newest = max(event.version.microsecondsSince1970, try global("version").integer ?? 0)
        try setGlobal("version", .integer(newest))
      }
    }
  }

  private func apply(_ change: TargetState.Change, to id: Int, _ event: RemoteEvent) throws {
    guard let old = targets[id] else { return }
    try removeKeys(change.removed, from: id)
    try addKeys(change.added, to: id)
    var data = old
    data.sequence = sequence
    if event.mismatches[id] != nil {
      data.token = Data()
      data.version = .zero
      data.completeVersion = .zero
    } else if !change.token.isEmpty {
      data.token = change.token
      data.version = event.version
    }
    targets[id] = data
    let isOld = data.version.microsecondsSince1970 - old.version.microsecondsSince1970 >= Self.tokenAge
    if old.token.isEmpty || isOld || !change.added.isEmpty || !change.modified.isEmpty
      || !change.removed.isEmpty
    {
      try save(data)
    }
  }

  /// Whether the remote has said the same of a document before.
  func isKnown(_ document: RemoteDocument) throws -> Bool {
    guard let base = try base(of: document.path) else { return false }
    switch (base.content, document.fields) {
    case (.missing, nil): return true
    case (.found, .some): return !base.isCommitted && base.version == document.updateTime
    default: return false
    }
  }

  /// Takes in what the remote said of a document, unless something newer is known.
  func apply(_ document: BaseDocument, at path: ResourcePath) throws {
    let old = try base(of: path)
    if case .missing = document.content, document.version == .zero {
      // Access was lost: nothing is known of it any more.
      try refresh(path, on: nil)
      return
    }
    if let old {
      let order = document.version.compare(old.version)
      guard order > 0 || (order == 0 && old.isCommitted) else { return }
    }
    try refresh(path, on: document)
    try use(path)
  }
}
