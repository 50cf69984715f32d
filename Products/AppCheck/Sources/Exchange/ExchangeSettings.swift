import TenonFoundation
import TenonTransportInterop

/// The time limits of exchanges, which any thread may change. ``AppCheck`` and its debug provider share them.
final class ExchangeSettings: Sendable {
  /// The values of the settings.
  struct Values: Sendable {
    /// The maximum duration of an exchange as a whole.
    var timeoutInterval = Duration.seconds(30)
    /// The maximum durations of the phases of a request. Every other product waits for the token.
    var timeouts = HTTPTimeouts(connecting: .seconds(10))
  }

  private let state = Lock(Values())

  /// The current values.
  var values: Values { state.withLock { $0 } }

  /// Changes the values in one step.
  func change(_ change: (inout Values) -> Void) { state.withLock { change(&$0) } }
}
