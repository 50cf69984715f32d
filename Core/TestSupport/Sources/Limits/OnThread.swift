import Foundation

/// Runs `body` on a new thread, so that it may block.
///
/// - Parameter stackSize: the size of the thread's stack in bytes; the default size if `nil`.
package func onThread<Value: Sendable>(
  stackSize: Int? = nil, _ body: @escaping @Sendable () -> Value
) async -> Value {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: body()) }
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}
