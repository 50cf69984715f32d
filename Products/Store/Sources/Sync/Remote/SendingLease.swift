/// Decides which of the processes that use a database sends its writes.
package protocol SendingLease: AnyObject {
  /// Acquires the lease, unless another process holds it.
  ///
  /// - Returns: whether this process holds it.
  func acquire() -> Bool
  /// Releases the lease, if this process holds it.
  func release()
}
