/// Those who want to hear of new tokens.
struct TokenListeners {
  struct Listener: Sendable {
    /// Returns whether somebody is still listening.
    let deliver: @Sendable (AppCheckToken) -> Bool
    let finish: @Sendable () -> Void
  }

  private var listeners: [Int: Listener] = [:]

  /// Adds a listener and tells it the present token.
  mutating func add(_ id: Int, _ listener: Listener, present: AppCheckToken?) {
    if let present, !listener.deliver(present) { return }
    listeners[id] = listener
  }

  mutating func remove(_ id: Int) { listeners[id] = nil }

  /// Tells everybody a new token.
  mutating func notify(_ token: AppCheckToken) {
    listeners = listeners.filter { $0.value.deliver(token) }
  }

  /// Ends every listener's stream.
  mutating func finish() {
    let ended = listeners.values
    listeners = [:]
    for listener in ended { listener.finish() }
  }
}
