import TenonStoreInterop

/// Receives the events of the exchange with the remote: the sync engine, which owns it.
///
/// All requirements are called on the engine's executor, in the order in which events arrive. If one throws a
/// transient database error, the exchange disconnects and repeats the call, or has the event sent again.
protocol RemoteSyncer: TargetMetadata {
  /// Saves a consistent snapshot of the remote, and updates the views with it.
  ///
  /// - Throws: the error of the database. Nothing was saved then.
  func saveRemoteEvent(_ event: RemoteEvent) throws
  /// Called when the remote has sent a listen event or has committed a batch, or the network is enabled
  /// again.
  func remoteAnswered()
  /// Called when the reachability of the remote has changed, with the new state.
  func onlineStateChanged(to state: OnlineState)
  /// Called when the remote has rejected a target, which is no longer listened to.
  ///
  /// - Throws: the error of the database, in which case the target must be treated as if it hadn't been
  ///   rejected yet.
  func rejectListen(target: Int, _ error: any Error) throws
  /// Called when the remote has committed batches.
  ///
  /// - Parameter answers: the answers, in the order of the batches, which are removed from the queue.
  /// - Throws: the error of the database; no batch was removed then.
  func acknowledgeWrites(_ answers: [CommittedBatch]) throws
  /// Called when the remote has rejected a batch with a permanent error. The batch is removed from the queue;
  /// later ones aren't.
  func rejectWrite(_ batch: PendingBatch, _ error: StoreRemoteError) throws
  /// Called when nothing will be sent or answered until the remote, or the database with the queue, has been
  /// repaired.
  func sendingFails(_ error: any Error)
  /// Returns the targets whose results lack a limbo document that exists and matches. The remote and this
  /// device disagree about their documents, even though their numbers may be equal.
  ///
  /// - Parameters:
  ///   - document: the state that the remote has sent for the lookup.
  ///   - path: the path of the document.
  /// - Returns: the IDs of the targets that must be requested again.
  func targets(lacking document: BaseDocument, at path: ResourcePath) -> [Int]
}
