public import TenonAppCheckInterop
import TenonCore

/// An implementation of ``AppCheckInterop`` for tests, whose tokens are numbered. It can be used from any thread.
public final class FakeAppCheck: AppCheckInterop {
  /// The numbers of the last tokens, the error in effect and the open streams.
  private struct State {
    var number = 0
    var limitedUse = 0
    var error: (any Error)?
    var listeners: [Int: AsyncStream<AppCheckResult>.Continuation] = [:]
    var nextListener = 0
  }

  /// The token of results while an error of ``fail(with:)`` is in effect.
  public static let placeholder = "placeholder"

  private let state = Lock(State())

  /// Creates a fake whose first token is `app-check-1`.
  public init() {}

  /// Makes all later calls return the placeholder and an error.
  ///
  /// - Parameter error: the error; `nil` makes calls succeed again.
  public func fail(with error: (any Error)?) { state.withLock { $0.error = error } }

  /// Returns the current token, `app-check-1` at first. A forced refresh returns a token with the next number and sends it to
  /// ``tokenChanges``.
  public func token(forcingRefresh: Bool) async -> AppCheckResult {
    state.withLock { state in
      if let error = state.error { return AppCheckResult(token: Self.placeholder, error: error) }
      if forcingRefresh || state.number == 0 {
        state.number += 1
        for listener in state.listeners.values { listener.yield(Self.result(state.number)) }
      }
      return Self.result(state.number)
    }
  }

  /// Returns a new token with each call: `limited-use-1`, `limited-use-2` and so on. ``tokenChanges`` is unaffected.
  public func limitedUseToken() async -> AppCheckResult {
    state.withLock { state in
      if let error = state.error { return AppCheckResult(token: Self.placeholder, error: error) }
      state.limitedUse += 1
      return AppCheckResult(token: "limited-use-\(state.limitedUse)")
    }
  }

  /// A stream of the current token, if there is one, and then of each new one. A slow consumer receives only the newest one.
  public var tokenChanges: AsyncStream<AppCheckResult> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let listener = state.withLock { state in
        state.nextListener += 1
        state.listeners[state.nextListener] = continuation
        if state.number > 0 { continuation.yield(Self.result(state.number)) }
        return state.nextListener
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { $0.listeners[listener] = nil }
      }
    }
  }

  /// Returns the successful result with the token of a number.
  private static func result(_ number: Int) -> AppCheckResult { AppCheckResult(token: "app-check-\(number)") }
}
