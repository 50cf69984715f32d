/// Decides which of the processes that use a database sends its writes.
package protocol SendingLease: AnyObject {
  /// Makes this process the one that sends, unless another one is.
  ///
  /// - Returns: whether this process sends.
  func acquire() -> Bool
  /// Lets another process send. Does nothing when this process doesn't.
  func release()
}
