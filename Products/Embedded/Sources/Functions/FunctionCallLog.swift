import TenonFoundation
package import TenonValues

/// A call of a function that has ended.
package struct FunctionCall: Sendable, Hashable {
  /// The name of the function; that of the event for a blocking function.
  package let name: String
  /// When the call began.
  package let start: Timestamp
  package let duration: Duration
  /// The error that the function threw, shortened; `nil` if it succeeded.
  package let error: String?
}

/// The last calls of each function, for people who look at what happens.
final class FunctionCallLog: Sendable {
  private let calls = Lock<[String: [FunctionCall]]>([:])

  /// The number of calls that are kept for a function.
  static let mostCalls = 20
  /// The longest text of an error that is kept, in characters.
  private static let longestError = 500

  /// Adds a call.
  func add(_ name: String, start: Timestamp, duration: Duration, error: (any Error)?) {
    let text = error.map { ($0 as? CallableError)?.description ?? $0.systemReason }
    let call = FunctionCall(
      name: name, start: start, duration: duration, error: text.map { String($0.prefix(Self.longestError)) })
    calls.withLock { calls in
      var own = calls[name] ?? []
      if own.count >= Self.mostCalls { own.removeFirst() }
      own.append(call)
      calls[name] = own
    }
  }

  /// Forgets the calls of a function that is removed.
  func remove(_ name: String) { calls.withLock { $0[name] = nil } }

  /// The calls of all functions that were called, those of each function in the order in which they ended.
  var all: [String: [FunctionCall]] { calls.withLock { $0 } }
}
