import TenonFoundation

/// The network of this machine, after whose changes the remote may be reached again.
extension StoreEngine {
  /// The shortest time between two attempts because of changes of the network.
  static let networkChangeInterval = Duration.seconds(1)

  /// Tries the remote again after each change of this machine's addresses and routes, until the database is
  /// closed.
  func watchNetwork() {
    networkWatch?.cancel()
    networkWatch = Task { [weak self, time = configuration.time, changes = configuration.networkChanges()] in
      for await _ in changes {
        await self?.machineNetworkChanged()
        guard (try? await time.sleep(Self.networkChangeInterval)) != nil else { return }
      }
    }
  }

  private func machineNetworkChanged() {
    guard case .open(let running) = state else { return }
    running.sync.remote?.endBackoff()
    running.reach?.probeNow()
  }
}
