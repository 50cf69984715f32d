/// Those who want to hear of changes of the session.
struct SessionListeners {
  struct Listener {
    /// What must differ for a change to be one for this listener.
    let fingerprint: @Sendable (StoredSession?) -> String?
    /// Returns whether somebody is still listening.
    let deliver: @Sendable (StoredSession?) -> Bool
    let finish: @Sendable () -> Void
    /// The fingerprint of what was delivered last; `nil` before the first delivery.
    var last: String??
  }

  private var listeners: [Int: Listener] = [:]

  /// Adds a listener.
  mutating func add(_ id: Int, _ listener: Listener) { listeners[id] = listener }

  mutating func remove(_ id: Int) { listeners[id] = nil }

  /// Tells the session to everybody for whom it is news, for a start to those who know nothing yet.
  mutating func notify(_ session: StoredSession?) {
    for (id, listener) in listeners {
      let fingerprint = listener.fingerprint(session)
      guard listener.last != .some(fingerprint) else { continue }
      guard listener.deliver(session) else {
        listeners[id] = nil
        continue
      }
      listeners[id]?.last = .some(fingerprint)
    }
  }

  /// Ends every listener's stream.
  mutating func finish() {
    let ended = listeners.values
    listeners = [:]
    for listener in ended { listener.finish() }
  }
}
