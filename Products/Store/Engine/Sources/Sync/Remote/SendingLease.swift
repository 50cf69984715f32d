/// Decides which of the processes that use a database sends its writes.
///
/// At any time at most one process holds the lease, so batches are sent in the order of the queue, and no two
/// processes send the same one at the same time. A holder that has ended no longer holds it. The pending
/// batches are in the database, so the next holder sends those whose answers weren't recorded, with the same
/// batch IDs.
package protocol SendingLease: AnyObject {
  /// Acquires the lease without waiting, unless another process holds it. No effect if this process holds it.
  ///
  /// - Returns: whether this process holds it.
  func acquire() -> Bool
  /// Releases the lease; no effect if this process doesn't hold it.
  func release()
  /// The ID of the process that holds the lease; `nil` if none is known.
  var holder: Int? { get }
}
