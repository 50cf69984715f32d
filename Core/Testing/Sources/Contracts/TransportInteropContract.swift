import TenonFoundation
public import TenonTransportInterop
import Testing

/// The contract of `TransportInterop` as a test that every implementation can run:
/// - A 4xx is returned as a response, not thrown.
/// - A stream delivers the same status and body as a complete response.
/// - Calls can be made concurrently.
/// - A call of a cancelled task throws `CancellationError`, whether the task is cancelled before or during
///   the call.
/// - A call without a complete response throws `timedOut` at its deadline.
///
/// ``checkBodies(_:upload:download:)`` covers the bodies of requests. Not covered: redirects, deadlines of
/// streams, and cancelling the iteration over a body.
///
/// ```swift
/// try await TransportInteropContract.check(
///   transport, found: TransportRequest(.get, here), missing: TransportRequest(.get, nowhere), unanswered: nil)
/// ```
public enum TransportInteropContract {
  /// Checks an implementation. Violations are recorded as issues of the running test.
  ///
  /// `found` is sent up to 23 times, 20 of them concurrently. A call that ignores cancellation or its
  /// deadline suspends the check until the server responds, so give the test a time limit.
  ///
  /// - Parameters:
  ///   - transport: the implementation.
  ///   - found: a request that is answered with a 2xx and the same non-empty body each time.
  ///   - missing: a request that is answered with a 4xx.
  ///   - unanswered: a request that isn't answered while the check runs; `nil` skips the checks of deadlines,
  ///     including that of `unfinished`, and of cancelling a call in progress. The deadlines are 20
  ///     milliseconds.
  ///   - unfinished: a request whose response has a head, but no end while the check runs; `nil` skips its
  ///     deadline.
  /// - Throws: the errors of the implementation.
  public static func check(
    _ transport: any TransportInterop,
    found: TransportRequest,
    missing: TransportRequest,
    unanswered: TransportRequest?,
    unfinished: TransportRequest? = nil
  ) async throws {
    let answer = try await transport.send(found)
    #expect(
      (200..<300).contains(answer.status) && !answer.body.isEmpty,
      "a response has its status and body"
    )
    #expect((400..<500).contains(try await transport.send(missing).status), "a 4xx is returned, not thrown")

    let streamed = try await transport.stream(found)
    var content = Data()
    for try await chunk in streamed.body { content += chunk }
    #expect(streamed.status == answer.status && content == answer.body, "a stream delivers the same body")
    #expect((400..<500).contains(try await transport.stream(missing).status), "a 4xx is returned, not thrown")

    let calls = (0..<20).map { _ in Task { try await transport.send(found) } }
    for call in calls { #expect(try await call.value.status == answer.status, "calls can run concurrently") }

    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(found)
    }
    await expectCancellation(cancelled, "the call of a cancelled task throws")
    guard let unanswered else { return }
    let hanging = Task { try await transport.send(unanswered) }
    hanging.cancel()
    await expectCancellation(hanging, "a call ends when its task is cancelled")
    for request in [unanswered, unfinished].compactMap(\.self) {
      var limited = request
      limited.deadline = .milliseconds(20)
      do {
        _ = try await transport.send(limited)
        Issue.record("a call without a complete response ends at its deadline")
      } catch let error as TransportError {
        #expect(error.code == .timedOut, "a passed deadline throws `timedOut`")
      }
    }
  }

  /// Records an issue unless a call throws `CancellationError`.
  ///
  /// - Parameters:
  ///   - task: the task of the call.
  ///   - comment: the requirement, for the issue.
  static func expectCancellation(_ task: Task<TransportResponse, any Error>, _ comment: Comment) async {
    do {
      _ = try await task.value
      Issue.record(comment)
    } catch {
      #expect(error is CancellationError, comment)
    }
  }
}
