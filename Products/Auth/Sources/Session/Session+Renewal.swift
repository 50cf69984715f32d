import Foundation
import TenonCore
import TenonTransport

/// The renewal of tokens before they expire.
struct Renewal {
  /// The shortest interval between two renewals, for servers whose tokens expire at once.
  static let shortestPause: TimeInterval = 30

  /// Waits for the next renewal; `nil` while nobody is signed in, and during a renewal.
  var timer: Task<Void, Never>?
  /// The time at which the last renewal began.
  var last: Date?
  /// The number of attempts in a row that failed.
  var failures = 0
}

extension Session {
  /// Renews the ID token five minutes before its expiry from now on, whoever is signed in, for products that hold
  /// connections open, which end with the token. If the server can't be reached, it is asked again after 30 seconds,
  /// and then after twice the interval each time, up to 16 minutes.
  func keepFresh() {
    guard renewal == nil else { return }
    renewal = Renewal()
    scheduleRenewal(of: (try? current())?.stored)
  }

  /// Schedules the renewal of a session's token; schedules nothing if nobody is signed in.
  func scheduleRenewal(of session: StoredSession?) {
    guard renewal != nil else { return }
    renewal?.timer?.cancel()
    renewal?.timer = nil
    guard let session else { return }
    let due = session.tokens.expires - SessionTokens.margin
    let soonest = renewal?.last.map { $0 + Renewal.shortestPause } ?? pace.date()
    renew(after: max(0, max(due, soonest).timeIntervalSince(pace.date())))
  }

  func stopRenewal() {
    renewal?.timer?.cancel()
    renewal = nil
  }

  private func renew(after delay: TimeInterval) {
    let pace = pace
    renewal?.timer = Task { [weak self] in
      do { try await pace.sleep(.wait(seconds: delay)) } catch { return }
      guard !Task.isCancelled else { return }
      await self?.renewAhead()
    }
  }

  private func renewAhead() async {
    guard renewal != nil else { return }
    // The renewal changes the session, which must not cancel the task that performs it.
    renewal?.timer = nil
    renewal?.last = pace.date()
    do {
      _ = try await token(forcingRefresh: false)
      renewal?.failures = 0
    } catch {
      logger?.notice("The ID token could not be renewed before its expiry: \(error)")
      guard renewal?.timer == nil, case .some(.some) = try? current() else { return }
      renewal?.failures += 1
      let pause = Backoff.renewal.delay(after: renewal?.failures ?? 1, random: pace.random())
      renew(after: pause / .seconds(1))
    }
  }
}
