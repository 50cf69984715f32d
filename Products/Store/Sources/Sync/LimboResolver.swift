import TenonDocuments
import TenonStoreInterop

/// Looks up documents that results here show and those of the remote don't: nobody told whether they still belong there.
///
/// Each is a target of its own, and only so many are looked up at once; the others wait.
final class LimboResolver {
  private struct Lookup {
    let path: ResourcePath
    /// Whether the remote has sent the document.
    var isFound = false
  }

  /// Which targets show a document.
  private var references: [ResourcePath: Set<Int>] = [:]
  /// The documents that are looked up, by the numbers of their targets.
  private(set) var targets: [ResourcePath: Int] = [:]
  /// The documents that wait to be looked up.
  private(set) var queue: [ResourcePath] = []
  private var lookups: [Int: Lookup] = [:]
  private var lastTarget = -1
  private let limit: Int
  /// Who is asked; `nil` when there is no remote.
  weak var remote: RemoteStore?

  /// - Parameter limit: how many documents are looked up at once.
  init(limit: Int) { self.limit = limit }

  /// Takes in which documents of a target are in limbo from now on, and which are no longer.
  func track(_ changes: View.LimboChanges, of target: Int) {
    for path in changes.added {
      references[path, default: []].insert(target)
      guard targets[path] == nil, !queue.contains(path) else { continue }
      queue.append(path)
    }
    if !changes.added.isEmpty { resolveNext() }
    for path in changes.removed {
      references[path]?.remove(target)
      guard references[path]?.isEmpty ?? true else { continue }
      references[path] = nil
      stopResolving(path)
    }
  }

  /// Nobody looks at a target any more.
  func removeTarget(_ id: Int) {
    for (path, targets) in references where targets.contains(id) {
      references[path] = targets.count > 1 ? targets.subtracting([id]) : nil
      if targets.count == 1 { stopResolving(path) }
    }
  }

  /// The targets for which a document is looked up.
  func targets(showing path: ResourcePath) -> [Int] { references[path]?.sorted() ?? [] }

  /// Whether a document is looked up, or waits for it.
  func isTracked(_ path: ResourcePath) -> Bool { references[path] != nil }

  /// Takes in which documents the remote has sent.
  func take(_ changes: [Int: TargetState.Change]) {
    for (id, change) in changes where lookups[id] != nil {
      if !change.added.isEmpty {
        lookups[id]?.isFound = true
      } else if !change.removed.isEmpty {
        lookups[id]?.isFound = false
      }
    }
  }

  /// The document that a target looks up.
  func path(of target: Int) -> ResourcePath? { lookups[target]?.path }

  /// What the remote has sent for a target; `nil` when it looks up nothing.
  func remoteKeys(of target: Int) -> Set<ResourcePath>? {
    lookups[target].map { $0.isFound ? [$0.path] : [] }
  }

  /// The remote refused to tell: the lookup is over.
  func reject(_ target: Int) {
    guard let path = lookups.removeValue(forKey: target)?.path else { return }
    targets[path] = nil
    resolveNext()
  }

  private func resolveNext() {
    while !queue.isEmpty, targets.count < limit {
      let path = queue.removeFirst()
      lastTarget += 2
      lookups[lastTarget] = Lookup(path: path)
      targets[path] = lastTarget
      var data = TargetData(id: lastTarget, target: .document(path))
      data.purpose = .limboResolution
      remote?.listen(to: data)
    }
  }

  private func stopResolving(_ path: ResourcePath) {
    queue.removeAll { $0 == path }
    guard let id = targets.removeValue(forKey: path) else { return }
    remote?.unlisten(target: id)
    lookups[id] = nil
    resolveNext()
  }
}
