import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTransport

/// The state of the renewal of tokens before they expire.
struct Renewal {
  /// The shortest interval between two renewals, in seconds, for servers whose tokens expire immediately.
  static let shortestPause: TimeInterval = 30

  /// Waits for the next renewal; `nil` while no user is signed in, and during a renewal.
  var timer: Task<Void, Never>?
  /// The time at which the last renewal began.
  var last: Date?
  /// The number of consecutive failures.
  var failures = 0
}

extension Session {
  /// Starts renewing the ID token of any signed-in user five minutes before it expires, for products that
  /// hold connections open, which end with the token. If a renewal fails, it is repeated after 30 seconds,
  /// and then after twice the interval each time, up to 16 minutes (`Backoff.renewal`). Calling this again
  /// has no effect.
  func keepFresh() {
    guard renewal == nil else { return }
    renewal = Renewal()
    startWatching()
    scheduleRenewal(of: (try? current())?.stored)
  }

  /// Schedules the renewal of a session's token in place of the one that is scheduled. Schedules nothing if
  /// no user is signed in, or if ``keepFresh()`` wasn't called.
  func scheduleRenewal(of session: StoredSession?) {
    guard renewal != nil else { return }
    renewal?.timer?.cancel()
    renewal?.timer = nil
    // The session has changed: it is another user's, or the server has just answered.
    renewal?.failures = 0
    guard let session else { return }
    let due = session.tokens.expires - SessionTokens.margin
    let soonest = renewal?.last.map { $0 + Renewal.shortestPause } ?? time.date()
    renew(after: max(0, max(due, soonest).timeIntervalSince(time.date())))
  }

  /// Cancels the scheduled renewal, and schedules no others until ``keepFresh()`` is called again.
  func stopRenewal() {
    renewal?.timer?.cancel()
    renewal = nil
  }

  /// Starts the timer of the next renewal.
  ///
  /// - Parameter delay: the wait in seconds.
  private func renew(after delay: TimeInterval) {
    let time = time
    renewal?.timer = Task { [weak self] in
      do { try await time.sleep(.wait(seconds: delay)) } catch { return }
      guard !Task.isCancelled else { return }
      await self?.renewAhead()
    }
  }

  /// Renews the token. After a failure, schedules another attempt if a user is still signed in.
  private func renewAhead() async {
    guard renewal != nil else { return }
    // The renewal changes the session, which must not cancel the task that performs it.
    renewal?.timer = nil
    renewal?.last = time.date()
    do {
      _ = try await token(forcingRefresh: false)
      renewal?.failures = 0
    } catch {
      logger?.notice(
        "The ID token couldn't be renewed before its expiry: \(error)",
        fields: ["error.type": Telemetry.errorType(error)])
      guard renewal?.timer == nil, case .some(.some) = try? current() else { return }
      renewal?.failures += 1
      let pause = Backoff.renewal.delay(after: renewal?.failures ?? 1, random: time.random())
      renew(after: pause / .seconds(1))
    }
  }
}
