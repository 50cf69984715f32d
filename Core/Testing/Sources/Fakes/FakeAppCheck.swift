public import TenonAppCheckInterop
import TenonFoundation

/// An implementation of `AppCheckInterop` for tests, whose tokens are numbered. It can be used from any
/// thread.
///
/// Tokens never expire, and all functions return without suspending. The functions ignore cancellation.
///
/// ```swift
/// let appCheck = FakeAppCheck()
/// appCheck.fail(with: URLError(.timedOut))
/// #expect(await appCheck.token(forcingRefresh: false).token == FakeAppCheck.placeholder)
/// ```
public final class FakeAppCheck: AppCheckInterop {
  /// The numbers of the last tokens, the error in effect and the open streams.
  private struct State {
    /// The number of the current token; 0 before the first.
    var number = 0
    /// The number of the last limited-use token; 0 before the first.
    var limitedUse = 0
    /// The error of all results; `nil` if calls succeed.
    var error: (any Error)?
    /// The open streams of ``FakeAppCheck/tokenChanges``, by number.
    var listeners: [Int: AsyncStream<AppCheckResult>.Continuation] = [:]
    /// The number of the stream that was opened last.
    var nextListener = 0
  }

  /// The token of results while an error of ``fail(with:)`` is in effect.
  public static let placeholder = "placeholder"

  private let state = Lock(State())

  /// Creates a fake whose first token is `app-check-1`.
  public init() {}

  /// Makes all later calls return the placeholder and an error.
  ///
  /// Failed calls create no tokens and send nothing to ``tokenChanges``. They leave the current token
  /// unchanged.
  ///
  /// - Parameter error: the error; `nil` makes calls succeed again.
  public func fail(with error: (any Error)?) { state.withLock { $0.error = error } }

  /// Returns the current token, `app-check-1` at first. A forced refresh returns a token with the next number
  /// and sends it to ``tokenChanges``, as the first call does with the first token.
  ///
  /// - Parameter forcingRefresh: whether to create a token even if there is one.
  /// - Returns: the token, or the placeholder and the error of ``fail(with:)``.
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

  /// Returns a new token with each call: `limited-use-1`, `limited-use-2` and so on. ``tokenChanges`` is
  /// unaffected.
  ///
  /// - Returns: the token, or the placeholder and the error of ``fail(with:)``.
  public func limitedUseToken() async -> AppCheckResult {
    state.withLock { state in
      if let error = state.error { return AppCheckResult(token: Self.placeholder, error: error) }
      state.limitedUse += 1
      return AppCheckResult(token: "limited-use-\(state.limitedUse)")
    }
  }

  /// A stream of the current token, if there is one, and then of each new one. A slow consumer receives the
  /// last only.
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
