import TenonDocuments
import TenonStoreInterop
import TenonValues

/// Looks up limbo documents: documents that match a query locally, but that the remote hasn't sent for it.
///
/// A document is in limbo if this device has missed its change or deletion: it no longer belongs to the
/// target, but its cached version still matches. The lookup is a target of this one document. Its outcome is
/// saved like any event: the document arrives, and may no longer match; or the target is complete without it,
/// and it is deleted here; or the remote denies access, and it is removed. It then leaves limbo, and its
/// lookup ends.
///
/// Each lookup has its own target, with an odd ID; the targets of listeners have even ones. The number of
/// concurrent lookups is limited; further documents are queued in the order in which they entered limbo. A
/// document that is in limbo for several targets is looked up once. The methods return the requests to send
/// to the remote, in order; nothing is sent here. ``SyncEngine`` owns the value.
struct LimboResolver {
  /// A request to the remote: to listen to the target of a lookup, or to end it.
  enum Request {
    case listen(TargetData)
    case unlisten(target: Int)
  }

  /// A document being looked up.
  private struct Lookup {
    let path: ResourcePath
    /// Whether the remote has sent the document.
    var isFound = false
  }

  /// The targets whose results contain a limbo document, by path. A document is in limbo while it has an
  /// entry, whether or not its lookup has ended.
  private var references: [ResourcePath: Set<Int>] = [:]
  /// The documents being looked up, with the IDs of their targets.
  private(set) var targets: [ResourcePath: Int] = [:]
  /// The documents waiting to be looked up.
  private(set) var queue: [ResourcePath] = []
  /// The lookups, by the ID of their target; the same as in `targets`.
  private var lookups: [Int: Lookup] = [:]
  /// The ID of the last lookup. IDs aren't used twice, and begin at 1.
  private var lastTarget = -1
  private let limit: Int

  /// Creates a resolver without lookups.
  ///
  /// - Parameter limit: the maximum number of concurrent lookups, at least 1.
  init(limit: Int) { self.limit = limit }

  /// Records which documents of a target have entered and left limbo.
  ///
  /// - Parameters:
  ///   - changes: the changes since the last call for the target.
  ///   - target: the ID of the target.
  /// - Returns: the requests to send: new lookups up to the limit, and the ends of those that nothing needs
  ///   any more.
  /// - Complexity: O(q) per document for a queue of length q.
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

  /// Ends the lookups for a target that is no longer listened to, unless another target needs them.
  ///
  /// - Parameter id: the ID of the listeners' target.
  /// - Returns: the requests to send.
  /// - Complexity: O(n) in the number of limbo documents.
  mutating func removeTarget(_ id: Int) -> [Request] {
    var requests: [Request] = []
    for (path, targets) in references where targets.contains(id) {
      references[path] = targets.count > 1 ? targets.subtracting([id]) : nil
      if targets.count == 1 { requests += stopResolving(path) }
    }
    return requests
  }

  /// Returns the targets for which a document is looked up, in ascending order.
  func targets(showing path: ResourcePath) -> [Int] { references[path]?.sorted() ?? [] }

  /// Returns whether a document is in limbo.
  func isTracked(_ path: ResourcePath) -> Bool { references[path] != nil }

  /// Records which documents the remote has sent for lookups.
  ///
  /// - Parameter changes: the changes of targets by ID; those of other targets are ignored.
  mutating func update(_ changes: [Int: TargetState.Change]) {
    for (id, change) in changes where lookups[id] != nil {
      if !change.added.isEmpty {
        lookups[id]?.isFound = true
      } else if !change.removed.isEmpty {
        lookups[id]?.isFound = false
      }
    }
  }

  /// Returns the document that a target looks up; `nil` if the target isn't a lookup.
  func path(of target: Int) -> ResourcePath? { lookups[target]?.path }

  /// Returns the documents that the remote has sent for a lookup; `nil` if the target isn't a lookup.
  func remoteKeys(of target: Int) -> Set<ResourcePath>? {
    lookups[target].map { $0.isFound ? [$0.path] : [] }
  }

  /// Ends a lookup that the remote has rejected. The remote has ended its target already.
  ///
  /// - Parameter target: the ID of the lookup's target.
  /// - Returns: the requests to send: the next lookups from the queue.
  mutating func reject(_ target: Int) -> [Request] {
    guard let path = lookups.removeValue(forKey: target)?.path else { return [] }
    targets[path] = nil
    return resolveNext()
  }

  /// Starts lookups of queued documents up to the limit.
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

  /// Ends the lookup of a document, or removes it from the queue.
  private mutating func stopResolving(_ path: ResourcePath) -> [Request] {
    queue.removeAll { $0 == path }
    guard let id = targets.removeValue(forKey: path) else { return [] }
    lookups[id] = nil
    return [.unlisten(target: id)] + resolveNext()
  }
}
