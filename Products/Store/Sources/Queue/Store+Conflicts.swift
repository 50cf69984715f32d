import TenonCore
import TenonFoundation
import TenonStoreEngine

extension Store {
  typealias ConflictHandler = @Sendable (WriteConflict, Transaction) async throws -> Void

  /// Decides what happens when a conditional write of this device is rejected because others changed the
  /// document first: the function receives what the write was based on, its result, and the present document,
  /// and writes what is to be stored instead.
  ///
  /// ```swift
  /// store.onConflict = { conflict, transaction in
  ///   for document in conflict.documents {
  ///     let before = document.base?["stock"]?.intValue ?? 0
  ///     let change = (document.mine?["stock"]?.intValue ?? 0) - before
  ///     try transaction.updateData(["stock": .increment(change)], forDocument: document.reference)
  ///   }
  /// }
  /// ```
  ///
  /// The writes of the transaction are conditional on the documents that it has read, which are those of the
  /// conflict; if others change them again in the meantime, the function is called again. When they are
  /// stored, the rejected write is dismissed. If the function writes nothing or throws, or the transaction
  /// fails, the write remains rejected: ``onRejectedWrite`` receives it, or it is logged, and
  /// ``rejectedWrites`` lists it.
  ///
  /// A caller that waits for the write receives the rejection as an error instead, as for
  /// ``onRejectedWrite``; what is said there of order, actors, launches and processes is true here too.
  public var onConflict: (@Sendable (WriteConflict, Transaction) async throws -> Void)? {
    get { conflictHandler.withLock { $0 } }
    set {
      conflictHandler.withLock { $0 = newValue }
      guard let newValue else { return engine.unawaitedRejections.resolver = nil }
      engine.unawaitedRejections.resolver = { [weak self] rejected in
        await self?.resolve(rejected, newValue) ?? false
      }
    }
  }

  /// Calls the handler with the conflict of a rejected write.
  ///
  /// - Returns: whether the write was replaced by another one.
  private func resolve(
    _ rejected: RejectedWrite, _ handler: ConflictHandler
  ) async -> Bool {
    do {
      let hasWritten = try await runTransaction { transaction in
        // Otherwise the app has dismissed it, or another user has signed in.
        guard try await rejectedWrites.contains(where: { $0.id == rejected.id }) else { return false }
        var documents: [WriteConflict.Document] = []
        for conflict in rejected.conflicts {
          let reference = document(conflict.path.text)
          documents.append(
            WriteConflict.Document(
              reference: reference, base: conflict.base, mine: conflict.mine,
              theirs: try await transaction.getDocument(reference)))
        }
        try await handler(WriteConflict(rejected: rejected, documents: documents), transaction)
        return transaction.hasWrites
      }
      if hasWritten { try await dismissRejectedWrite(rejected.id) }
      return hasWritten
    } catch {
      engine.configuration.logger.warning(
        "The conflict of a rejected write wasn't resolved, and the write remains rejected: \(error)")
      return false
    }
  }
}
