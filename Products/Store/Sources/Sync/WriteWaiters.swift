import Foundation
import TenonStoreInterop

/// Who waits here for what the remote makes of writes. Each is told once.
final class WriteWaiters {
  private struct Waiter {
    let uuid: UUID
    let call: (Result<RemoteCommit?, any Error>) -> Void
  }

  private let local: LocalStore
  private var waiters: [Int64: Waiter] = [:]
  /// Those who wait for all batches up to one.
  private var waitersForAll: [(newest: Int64, callback: (Result<Void, any Error>) -> Void)] = []

  init(_ local: LocalStore) { self.local = local }

  /// Whether nobody waits.
  var isEmpty: Bool { waiters.isEmpty && waitersForAll.isEmpty }
  /// Whether somebody waits until all writes are answered.
  var hasWaitersForAll: Bool { !waitersForAll.isEmpty }

  /// Calls back once it is known what became of a batch.
  func add(_ batch: MutationBatch, _ callback: @escaping (Result<RemoteCommit?, any Error>) -> Void) {
    waiters[batch.id] = Waiter(uuid: batch.uuid, call: callback)
  }

  /// Calls back when everything that waits now has been answered.
  func addForAll(_ callback: @escaping (Result<Void, any Error>) -> Void) {
    let newest: Int64
    do { newest = try local.newestBatch() } catch { return callback(.failure(StoreError.wrapping(error))) }
    guard newest > 0 else { return callback(.success(())) }
    waitersForAll.append((newest, callback))
  }

  /// It is known what became of a batch.
  func finish(_ id: Int64, _ result: Result<RemoteCommit?, any Error>) {
    waiters.removeValue(forKey: id)?.call(result)
    tellForAll()
  }

  /// Tells what became of writes that another process has sent.
  func settleForeign() throws {
    guard !isEmpty else { return }
    let rejected = try local.rejections()
    for (id, waiter) in waiters.sorted(by: { $0.key < $1.key }) where try !local.hasBatch(id) {
      let refusal = rejected.first { $0.uuid == waiter.uuid }
      finish(id, refusal.map { .failure($0.error) } ?? .success(nil))
    }
    tellForAll()
  }

  /// Tells those who wait for several batches, of which none is left. One that is cancelled may leave older ones behind.
  private func tellForAll() {
    guard hasWaitersForAll else { return }
    do {
      let oldest = try local.oldestBatch() ?? .max
      let done = waitersForAll.filter { $0.newest < oldest }
      waitersForAll.removeAll { $0.newest < oldest }
      for waiter in done { waiter.callback(.success(())) }
    } catch {
      failForAll(error)
    }
  }

  /// Those who wait for several batches won't hear of all of them.
  func failForAll(_ error: any Error) {
    let waiters = waitersForAll
    waitersForAll = []
    for waiter in waiters { waiter.callback(.failure(error)) }
  }

  /// Nobody will hear anything more.
  func failAll(_ error: any Error) {
    let former = waiters
    waiters = [:]
    for id in former.keys.sorted() { former[id]?.call(.failure(error)) }
    failForAll(error)
  }
}
