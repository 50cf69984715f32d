public import TenonAppCheckInterop
import TenonCore

/// An ``AppCheckInterop`` that numbers its tokens, for tests.
public final class FakeAppCheck: AppCheckInterop {
  private struct State {
    var number = 0
    var limitedUse = 0
    var error: (any Error)?
    var listeners: [Int: AsyncStream<AppCheckResult>.Continuation] = [:]
    var nextListener = 0
  }

  /// The token of results while ``fail(with:)`` is in force.
  public static let placeholder = "placeholder"

  private let state = Lock(State())

  /// Creates a fake whose first token is `app-check-1`.
  public init() {}

  /// Makes every following call return the placeholder and an error; `nil` makes them succeed again.
  public func fail(with error: (any Error)?) { state.withLock { $0.error = error } }

  /// Returns the present token; a forced refresh returns the next number.
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

  /// Returns `limited-use-1`, `limited-use-2` and so on.
  public func limitedUseToken() async -> AppCheckResult {
    state.withLock { state in
      if let error = state.error { return AppCheckResult(token: Self.placeholder, error: error) }
      state.limitedUse += 1
      return AppCheckResult(token: "limited-use-\(state.limitedUse)")
    }
  }

  /// The current token, if there is one, and then each new one. A slow reader receives the newest one only.
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

  private static func result(_ number: Int) -> AppCheckResult { AppCheckResult(token: "app-check-\(number)") }
}
