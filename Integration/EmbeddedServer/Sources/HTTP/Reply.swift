import Dispatch
import TenonFoundation
import TenonTransportInterop

/// Transfers the response of the backend, which runs on other threads, to the thread of a connection, chunk
/// by chunk.
struct Reply {
  enum Part {
    case head(Int, TenonTransportInterop.HTTPHeaders)
    case piece(Data, ResponseWriter.Framing)
    case end(ResponseWriter.Framing)
  }

  let limits: ServerLimits
  let gateway: Gateway

  /// Runs a request. The calling thread waits for the backend and for the peer in turn, so that at most one
  /// chunk is in memory.
  ///
  /// - Parameters:
  ///   - abandoned: returns whether the peer closed the connection. A request that has run for more than a
  ///     second is cancelled in this case; one that exceeds the time limit is always cancelled.
  ///   - write: writes a part of the response, and returns how the end of the content is indicated.
  /// - Returns: whether the response was written completely.
  func run(
    _ request: TenonTransportInterop.TransportRequest, abandoned: () -> Bool,
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

  /// Returns the next chunk. Each iterator of the stream continues where the last one ended.
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
