/// An object that remembers in which cell a container keeps the instance of a key, such as a provider.
///
/// The container calls it whenever another version of the graph takes effect.
protocol InstanceFollower: AnyObject, Sendable {
  /// Forgets the cell if `wiring` keeps the instance in another one.
  func follow(_ wiring: Wiring)
}

/// The followers of a container, held weakly.
struct FollowerList {
  private struct WeakFollower {
    weak var follower: (any InstanceFollower)?
  }

  private var followers: [WeakFollower] = []
  private var limit = 16

  var live: [any InstanceFollower] { followers.compactMap(\.follower) }

  mutating func add(_ follower: any InstanceFollower) {
    if followers.count >= limit {
      followers.removeAll { $0.follower == nil }
      limit = max(16, followers.count * 2)
    }
    followers.append(WeakFollower(follower: follower))
  }
}
