#if canImport(Combine) || OpenCombine
  #if canImport(Combine)
    public import Combine
  #else
    public import OpenCombine
  #endif
  public import TenonAuthInterop
  public import TenonStorageInterop

  // A product doesn't import another one. Auth and the transfers of Storage conform to protocols of their
  // interops, and the publishers belong to these.

  extension AuthUserChanges {
    /// Returns a publisher of the current user, and then of the user (`nil` if no user is signed in) whenever
    /// another one signs in or the user signs out. It finishes when the app is deleted.
    ///
    /// - Parameter delivery: the thread on which subscribers are called; the main actor, by default.
    public func authStateDidChangePublisher(
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<User?, Never> {
      StreamPublisher(authStateChanges, delivery: delivery).eraseToAnyPublisher()
    }

    /// Returns a publisher of the current user, and then of the user (`nil` if no user is signed in) with
    /// each change of the ID token. It finishes when the app is deleted.
    ///
    /// - Parameter delivery: the thread on which subscribers are called; the main actor, by default.
    public func idTokenDidChangePublisher(
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<User?, Never> {
      StreamPublisher(idTokenChanges, delivery: delivery).eraseToAnyPublisher()
    }
  }

  extension StorageTransfer {
    /// Returns a publisher of the state of the upload or download now, and of each later one. It finishes
    /// after the state of success, and fails with the transfer's error.
    ///
    /// Cancelling a subscription leaves the transfer running.
    ///
    /// - Parameter delivery: the thread on which subscribers are called; the main actor, by default.
    public func snapshotPublisher(
      delivery: StreamDelivery = .mainActor
    ) -> AnyPublisher<Snapshot, any Error> {
      StreamPublisher(snapshots, delivery: delivery).eraseToAnyPublisher()
    }
  }
#endif
