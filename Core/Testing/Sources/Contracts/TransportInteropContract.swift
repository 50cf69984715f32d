public import TenonTransportInterop
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What every ``TransportInterop`` must do, as a test.
public enum TransportInteropContract {
  /// Checks an implementation; what it breaks is recorded as an issue of the running test.
  ///
  /// - Parameters:
  ///   - transport: the implementation.
  ///   - found: a request whose answer is a 2xx with content, the same each time.
  ///   - missing: a request whose answer is a 4xx.
  ///   - unanswered: a request that gets no answer for as long as the check runs; `nil` where there is none.
  public static func check(
    _ transport: any TransportInterop,
    found: HTTPRequest,
    missing: HTTPRequest,
    unanswered: HTTPRequest?
  ) async throws {
    let answer = try await transport.send(found)
    #expect(
      (200..<300).contains(answer.status) && !answer.body.isEmpty,
      "an answer has its status and content"
    )
    #expect((400..<500).contains(try await transport.send(missing).status), "a 4xx is returned, not thrown")

    let streamed = try await transport.stream(found)
    var content = Data()
    for try await chunk in streamed.body { content += chunk }
    #expect(streamed.status == answer.status && content == answer.body, "a stream brings the same content")
    #expect((400..<500).contains(try await transport.stream(missing).status), "a 4xx is returned, not thrown")

    let calls = (0..<20).map { _ in Task { try await transport.send(found) } }
    for call in calls { #expect(try await call.value.status == answer.status, "calls run at the same time") }

    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(found)
    }
    await expectCancellation(cancelled, "a cancelled task sends nothing")
    guard let unanswered else { return }
    let hanging = Task { try await transport.send(unanswered) }
    hanging.cancel()
    await expectCancellation(hanging, "a call ends when its task is cancelled")
    var hasty = unanswered
    hasty.deadline = .milliseconds(20)
    do {
      _ = try await transport.send(hasty)
      Issue.record("a call without an answer ends at its deadline")
    } catch let error as TransportError {
      #expect(error.code == .timedOut, "a passed deadline is a time-out")
    }
  }

  private static func expectCancellation(_ task: Task<HTTPResponse, any Error>, _ comment: Comment) async {
    do {
      _ = try await task.value
      Issue.record(comment)
    } catch {
      #expect(error is CancellationError, comment)
    }
  }
}
