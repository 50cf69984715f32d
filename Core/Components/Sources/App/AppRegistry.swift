import Dispatch
import TenonBasics

/// The apps of this process, by name. Thread-safe: one lock guards the entries, and no app is configured or
/// deleted while it is held.
///
/// A name is free, reserved by the thread that configures its app, or taken by the app. The registry retains
/// an app until ``remove(_:)``, so an app lives until it is deleted, even if nothing else refers to it.
///
/// A thread that requests a reserved name blocks until the configuration has ended, and then examines the
/// entry again. Two kinds of threads must not block, because the configuration may be waiting for them: one
/// that is creating an instance or running an `onCreate` action, and the one that configures the app. For
/// these, requesting the name is an error.
enum AppRegistry {
  /// The entries by name. A name without an entry is free.
  private static let apps = Lock<[String: Entry]>([:])

  /// The state of a name that isn't free.
  private enum Entry {
    /// An app of this name is being configured.
    case reserved(Reservation)
    /// The name belongs to an app. It is removed when the app has been deleted.
    case configured(App)
  }

  /// A name whose app a thread is configuring. Ended exactly once, by ``end(_:)``; until then, other threads
  /// that request the name wait, unless they are creating something.
  struct Reservation: Sendable {
    fileprivate let name: String
    /// The thread that configures the app.
    fileprivate let thread: ThreadID
    /// Left when the configuration ends. Threads that request the app in the meantime wait for it.
    fileprivate let group = DispatchGroup()

    /// Ends the configuration and wakes the threads that wait for it.
    ///
    /// - Parameter app: the app; `nil` if the configuration failed, which frees the name.
    func end(_ app: App?) {
      AppRegistry.apps.withLock { $0[name] = app.map(Entry.configured) }
      group.leave()
    }
  }

  /// Reserves a name for an app that the calling thread is going to configure. If another thread is
  /// configuring an app of this name, blocks until it has finished, and then tries again. The reservation
  /// must be ended in any case.
  ///
  /// - Parameter name: the name: letters, digits, `.`, `-` and `_`, and not only dots, so that it can be part
  ///   of a path.
  /// - Returns: the reservation, which the caller must end.
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/badName``, or
  ///   ``ConfigurationError/Code/alreadyConfigured`` if the name is taken, or if it is reserved and the
  ///   calling thread may not wait (see ``mayWait(for:)``).
  static func reserve(_ name: String) throws -> Reservation {
    guard GraphValidation.isName(name), !name.allSatisfy({ $0 == "." }) else {
      throw ConfigurationError(
        .badName,
        "An app can't be named \"\(name)\".",
        repairs: ["Use letters, digits, \".\", \"-\" and \"_\", and not dots alone."]
      )
    }
    let new = Reservation(name: name, thread: CurrentThread.current.id)
    new.group.enter()
    while let entry = add(new) {
      if case .reserved(let other) = entry, mayWait(for: other) {
        other.group.wait()
        continue
      }
      new.group.leave()
      throw ConfigurationError(
        .alreadyConfigured,
        "The app \"\(name)\" is configured already.",
        repairs: [
          "Use it: \(name == App.defaultName ? "App.default" : "App.app(name: \"\(name)\")").",
          "Delete it first.",
        ]
      )
    }
    return new
  }

  /// Adds a reservation, or returns the entry that holds its name.
  private static func add(_ new: Reservation) -> Entry? {
    apps.withLock { apps in
      if let entry = apps[new.name] { return entry }
      apps[new.name] = .reserved(new)
      return nil
    }
  }

  /// Returns the app with a name. If another thread is configuring it, waits for that, except during a
  /// creation, which the configuration may be waiting for.
  ///
  /// - Throws: ``ConfigurationError`` with the code ``ConfigurationError/Code/notConfigured``.
  static func app(_ name: String) throws -> App {
    while let entry = apps.withLock({ $0[name] }) {
      switch entry {
      case .configured(let app): return app
      case .reserved(let reservation):
        guard mayWait(for: reservation) else {
          throw ConfigurationError(
            .notConfigured,
            "\(title(name)) is being configured, and a creation can't wait for that.",
            repairs: ["Ask for it when App.configure has returned, for example in .onStart."]
          )
        }
        reservation.group.wait()
      }
    }
    throw ConfigurationError(
      .notConfigured,
      "There is no \(name == App.defaultName ? "default app" : "app \"\(name)\"").",
      repairs: [
        "Call try App.configure(\(name == App.defaultName ? "" : "name: \"\(name)\"")) first."
      ]
    )
  }

  /// Returns whether the calling thread may wait until an app is configured. A creation may not, because the
  /// configuration may wait for it; neither may the configuration itself.
  private static func mayWait(for reservation: Reservation) -> Bool {
    let thread = CurrentThread.current
    return !thread.isCreating && !thread.isFinishing && reservation.thread != thread.id
  }

  /// The app at the beginning of a sentence.
  private static func title(_ name: String) -> String {
    name == App.defaultName ? "The default app" : "The app \"\(name)\""
  }

  /// Every configured app, sorted by name. Apps that are still being configured are omitted.
  static var all: [App] {
    apps.withLock { apps in
      apps.values.compactMap { if case .configured(let app) = $0 { app } else { nil } }
    }.ordered { $0.name < $1.name }
  }

  /// Whether any app is configured or being configured. Called by registrations before `main`, when little
  /// else can be used.
  static var hasApps: Bool { !apps.withLock { $0.isEmpty } }

  /// Frees the name of a deleted app. Does nothing if another app has taken the name.
  ///
  /// - Parameter app: the app. Calling this again for the same app has no effect.
  static func remove(_ app: App) {
    apps.withLock { apps in
      if case .configured(let known) = apps[app.name], known === app { apps[app.name] = nil }
    }
  }
}
