import TenonCore
package import TenonFoundation
import TenonStoreInterop

/// The queue of writes as users see it. All of it throws as ``useAsUser(_:)``.
extension StoreEngine {
  /// Returns the writes of the current user that the remote hasn't answered, in the order in which they are
  /// sent.
  package func queuedWrites() async throws -> [QueuedWrite] {
    try await useAsUser { running in
      try running.local.batches().map { batch in
        QueuedWrite(
          id: batch.uuid, time: batch.time, writes: batch.writes,
          isSent: running.sync.isSent(batch.id))
      }
    }
  }

  /// Removes writes from the queue, and undoes their effect on this device.
  ///
  /// - Parameter id: the ID of the writes.
  /// - Returns: whether they were removed; `false` if they were answered, or may have reached the remote.
  package func cancelQueuedWrite(_ id: UUID) async throws -> Bool {
    try await useAsUser { running in
      guard let batch = try running.local.batches().first(where: { $0.uuid == id }) else { return false }
      return try deleting { try running.sync.cancel(batch) }
    }
  }

  /// Waits until the remote has answered every write that is pending now; see
  /// ``Store/waitForPendingWrites()``.
  package nonisolated func waitForPendingWrites() async throws {
    let waiting = WriteConfirmation()
    try await useAsUser { running in
      if let error = missingRemote("The pending writes can't be confirmed") { throw error }
      running.sync.waitForPendingWrites { result in
        waiting.settle(result.map { RemoteCommit(time: .zero, results: []) })
      }
    }
    try await waiting.confirmed()
  }

  /// Returns the writes of the current user that the remote rejected, oldest first.
  package func rejectedWrites() async throws -> [RejectedWrite] {
    try await useAsUser { try $0.local.rejections().map(RejectedWrite.init) }
  }

  /// Removes rejected writes that the app has handled; no effect if the ID is unknown.
  package func dismissRejectedWrite(_ id: UUID) async throws {
    try await useAsUser { running in
      try deleting { try running.local.dismissRejection(id) }
    }
  }
}
