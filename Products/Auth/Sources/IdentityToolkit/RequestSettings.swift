import TenonFoundation
import TenonTransportInterop

/// The settings of requests, which any thread may change.
final class RequestSettings: Sendable {
  /// The values of the settings.
  struct Values: Sendable {
    /// The language code that requests carry; `nil` for the project's default language.
    var language: String?
    /// The tenant whose users sign in; `nil` for users of the project itself.
    var tenantID: String?
    /// The maximum duration of an operation.
    var timeoutInterval = Duration.seconds(30)
    /// The maximum durations of the phases of a request. Three attempts to connect fit into an operation.
    var timeouts = HTTPTimeouts(connecting: .seconds(10))
  }

  private let state = Lock(Values())

  /// The current values.
  var values: Values {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Changes the values in one step.
  func change(_ change: (inout Values) -> Void) { state.withLock { change(&$0) } }
}
