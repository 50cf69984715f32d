import Dispatch
import Foundation
import TenonCore
import TenonTransportInterop

/// Brings the answer of the backend, which works on other threads, to the thread of a connection, piece by piece.
struct Reply {
  enum Part {
    case head(Int, TenonTransportInterop.HTTPHeaders)
    case piece(Data, ResponseWriter.Framing)
    case end(ResponseWriter.Framing)
  }

  let limits: ServerLimits
  let gateway: Gateway

  /// Runs a request. Waits, on the calling thread, for the backend and for the peer in turns, so that no more than a
  /// piece is in memory.
  ///
  /// - Parameters:
  ///   - abandoned: whether the peer is gone. A request that takes more than a second then is cancelled, as is one that
  ///     takes longer than the limits allow.
  ///   - write: writes a part, and says how the content's end is told.
  /// - Returns: whether the answer was written as it was announced.
  func run(
    _ request: TenonTransportInterop.HTTPRequest, abandoned: () -> Bool,
    write: (Part) throws -> ResponseWriter.Framing
  ) throws -> Bool {
    let gateway = gateway
    let end = SocketStream.now + limits.answerTime * 1_000
    let isOver = { abandoned() || SocketStream.now >= end }
    var answer = try wait(isOver) { await gateway.answer(request) }
    if answer.status == 499, SocketStream.now >= end { answer = Gateway.tooLate }
    var framing = try write(.head(answer.status, answer.headers))
    guard framing != .none else { return true }
    var written = 0
    let body = answer.body
    while true {
      guard let piece = try wait(isOver, { await Self.next(of: body) }).get() else { break }
      written += piece.count
      if case .length(let length) = framing, written > length { return false }
      framing = try write(.piece(piece, framing))
    }
    if case .length(let length) = framing, written < length { return false }
    _ = try write(.end(framing))
    return framing != .connection
  }

  /// The next piece. Every iterator of a stream goes on where the last one was.
  private static func next(of body: AsyncThrowingStream<Data, any Error>) async -> Result<Data?, any Error> {
    var iterator = body.makeAsyncIterator()
    do { return .success(try await iterator.next()) } catch { return .failure(error) }
  }

  private func wait<Value: Sendable>(
    _ isOver: () -> Bool, _ body: @escaping @Sendable () async -> Value
  ) throws -> Value {
    let value = Lock<Value?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let task = Task {
      let result = await body()
      value.withLock { $0 = result }
      isDone.signal()
    }
    while isDone.wait(timeout: .now() + .seconds(1)) == .timedOut {
      if isOver() { task.cancel() }
    }
    guard let result = value.withLock({ $0 }) else { throw SocketStream.Interruption.closed }
    return result
  }
}
