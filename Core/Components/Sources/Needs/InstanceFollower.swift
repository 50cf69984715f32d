/// An object that caches the cell in which a container keeps the instance of a key, such as a provider.
///
/// The container calls it whenever another version of the graph takes effect, and with an empty graph when it
/// is deleted or deallocated. It doesn't retain its followers.
protocol InstanceFollower: AnyObject, Sendable {
  /// Forgets the cached cell if `wiring` keeps the instance in another one, or doesn't have the key. May be
  /// called on any thread, also while other threads use the follower.
  ///
  /// - Parameter wiring: the graph that is in effect.
  func follow(_ wiring: Wiring)
}

/// The followers of a container, held weakly. Not thread-safe; the container keeps it in a lock.
struct FollowerList {
  private struct WeakFollower {
    weak var follower: (any InstanceFollower)?
  }

  private var followers: [WeakFollower] = []
  /// The number of entries at which deallocated followers are removed.
  private var limit = 16

  /// The followers that still exist.
  var live: [any InstanceFollower] { followers.compactMap(\.follower) }

  /// Adds a follower. When the list has reached its limit, the entries of deallocated followers are removed
  /// first.
  ///
  /// - Complexity: O(1), amortized.
  mutating func add(_ follower: any InstanceFollower) {
    if followers.count >= limit {
      followers.removeAll { $0.follower == nil }
      limit = max(16, followers.count * 2)
    }
    followers.append(WeakFollower(follower: follower))
  }
}
