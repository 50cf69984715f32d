/// Reads a stream and passes its elements to the main actor, until the reader is released.
///
/// A separate task reads the stream, off the main actor, and reads the next element when the previous one was
/// received. A stream that keeps only the newest element thus never queues more than one for a busy main
/// actor.
///
/// An object on the main actor owns the reader, and `receive` refers to that object weakly, so the stream
/// ends with its owner:
///
/// ```swift
/// @MainActor final class Header {
///   var user: User?
///   private var reader: MainActorReader?
///
///   init(_ users: AsyncStream<User?>) {
///     reader = MainActorReader(users) { [weak self] in self?.user = $0 }
///   }
/// }
/// ```
package final class MainActorReader: Sendable {
  private let task: Task<Void, Never>

  /// Starts to read a stream.
  ///
  /// - Parameters:
  ///   - stream: the stream, of which this is the only reader.
  ///   - prepare: called with each element off the main actor, to compute there what `receive` would have to
  ///     compute.
  ///   - receive: receives one element after the other.
  ///   - end: called when the stream has ended, with its error if there is one; not after the reader was
  ///     released.
  package init<Stream: AsyncSequence & Sendable>(
    _ stream: Stream,
    prepare: @escaping @Sendable (Stream.Element) -> Void = { _ in },
    receive: @escaping @MainActor @Sendable (Stream.Element) -> Void,
    end: @escaping @MainActor @Sendable ((any Error)?) -> Void = { _ in }
  ) where Stream.Element: Sendable {
    task = Self.read(stream, prepare: prepare, receive: receive, end: end)
  }

  /// Starts to read a stream, until it ends or the task is cancelled. Nothing keeps or releases the task, so
  /// a registration that others may drop can hold it.
  ///
  /// - Parameters: as for the initializer. Once the task was cancelled on the main actor, neither `receive`
  ///   nor `end` is called.
  /// - Returns: the task.
  package static func read<Stream: AsyncSequence & Sendable>(
    _ stream: Stream,
    prepare: @escaping @Sendable (Stream.Element) -> Void = { _ in },
    receive: @escaping @MainActor @Sendable (Stream.Element) -> Void,
    end: @escaping @MainActor @Sendable ((any Error)?) -> Void = { _ in }
  ) -> Task<Void, Never> where Stream.Element: Sendable {
    Task.detached {
      do {
        for try await element in stream {
          prepare(element)
          await call(receive, with: element)
        }
        await call(end, with: nil)
      } catch {
        await call(end, with: error)
      }
    }
  }

  /// Ends the stream.
  deinit { task.cancel() }

  /// Calls a closure, unless the task was cancelled in the meantime.
  @MainActor private static func call<Value>(_ body: @MainActor (Value) -> Void, with value: Value) {
    guard !Task.isCancelled else { return }
    body(value)
  }
}
