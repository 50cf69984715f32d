import TenonDocuments
import TenonStoreInterop

/// Looks up limbo documents: documents that results show here and that the remote hasn't sent for them.
///
/// Each lookup is a target of its own, and their number is limited; the other documents wait. The functions return what to request
/// of the remote.
struct LimboResolver {
  /// A request to the remote.
  enum Request {
    case listen(TargetData)
    case unlisten(target: Int)
  }

  private struct Lookup {
    let path: ResourcePath
    /// Whether the remote has sent the document.
    var isFound = false
  }

  /// The targets that show a document.
  private var references: [ResourcePath: Set<Int>] = [:]
  /// The documents that are looked up, by the ids of their targets.
  private(set) var targets: [ResourcePath: Int] = [:]
  /// The documents that wait to be looked up.
  private(set) var queue: [ResourcePath] = []
  private var lookups: [Int: Lookup] = [:]
  private var lastTarget = -1
  private let limit: Int

  /// - Parameter limit: the number of documents that are looked up at once.
  init(limit: Int) { self.limit = limit }

  /// Follows which documents of a target are in limbo.
  mutating func track(_ changes: View.LimboChanges, of target: Int) -> [Request] {
    var requests: [Request] = []
    for path in changes.added {
      references[path, default: []].insert(target)
      guard targets[path] == nil, !queue.contains(path) else { continue }
      queue.append(path)
    }
    if !changes.added.isEmpty { requests += resolveNext() }
    for path in changes.removed {
      references[path]?.remove(target)
      guard references[path]?.isEmpty ?? true else { continue }
      references[path] = nil
      requests += stopResolving(path)
    }
    return requests
  }

  /// Removes a target that isn't listened to any more.
  mutating func removeTarget(_ id: Int) -> [Request] {
    var requests: [Request] = []
    for (path, targets) in references where targets.contains(id) {
      references[path] = targets.count > 1 ? targets.subtracting([id]) : nil
      if targets.count == 1 { requests += stopResolving(path) }
    }
    return requests
  }

  /// Returns the targets for which a document is looked up.
  func targets(showing path: ResourcePath) -> [Int] { references[path]?.sorted() ?? [] }

  /// Returns whether a document is in limbo.
  func isTracked(_ path: ResourcePath) -> Bool { references[path] != nil }

  /// Records which documents the remote has sent.
  mutating func update(_ changes: [Int: TargetState.Change]) {
    for (id, change) in changes where lookups[id] != nil {
      if !change.added.isEmpty {
        lookups[id]?.isFound = true
      } else if !change.removed.isEmpty {
        lookups[id]?.isFound = false
      }
    }
  }

  /// Returns the document that a target looks up.
  func path(of target: Int) -> ResourcePath? { lookups[target]?.path }

  /// Returns the documents that the remote has sent for a target; `nil` if the target isn't a lookup.
  func remoteKeys(of target: Int) -> Set<ResourcePath>? {
    lookups[target].map { $0.isFound ? [$0.path] : [] }
  }

  /// Ends a lookup that the remote has rejected.
  mutating func reject(_ target: Int) -> [Request] {
    guard let path = lookups.removeValue(forKey: target)?.path else { return [] }
    targets[path] = nil
    return resolveNext()
  }

  private mutating func resolveNext() -> [Request] {
    var requests: [Request] = []
    while !queue.isEmpty, targets.count < limit {
      let path = queue.removeFirst()
      lastTarget += 2
      lookups[lastTarget] = Lookup(path: path)
      targets[path] = lastTarget
      var data = TargetData(id: lastTarget, target: .document(path))
      data.purpose = .limboResolution
      requests.append(.listen(data))
    }
    return requests
  }

  private mutating func stopResolving(_ path: ResourcePath) -> [Request] {
    queue.removeAll { $0 == path }
    guard let id = targets.removeValue(forKey: path) else { return [] }
    lookups[id] = nil
    return [.unlisten(target: id)] + resolveNext()
  }
}
