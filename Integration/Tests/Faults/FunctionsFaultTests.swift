import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// Functions on an unreliable network: a call is sent once, and ends with the correct result or a clear
/// error.
@Suite(.limited) struct FunctionsFaultTests {
  enum Operation: CaseIterable, Sendable { case call, stream }
  private typealias Response = StreamResponse<Int, Int>

  private static let events =
    "data: {\"message\": 1}\n\n: ping\n\ndata: {\"message\": 2}\n\ndata: {\"result\": 3}\n\n"
  private static let responses: [Response] = [.message(1), .message(2), .result(3)]

  private func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Step {
    request.field("Accept") == "text/event-stream"
      ? .answer(200, ["Content-Type": "text/event-stream"], Self.events)
      : .answer(200, ["Content-Type": "application/json"], #"{"result": 3}"#)
  }

  /// Calls a function, and returns what arrived before the error.
  private func run(_ operation: Operation, port: UInt16, timeout: Duration) async throws -> (
    elements: [Response], error: FunctionsError?
  ) {
    let context = AppContext(
      name: "faulty", options: AppOptions(projectID: "demo"), userAgent: "tenon-tests/1")
    let functions = try FunctionsInstances(
      app: context, auth: nil, appCheck: nil, transport: SystemTransport()
    ).functions(region: "us-central1")
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/f"))
    var elements: [Response] = []
    do {
      switch operation {
      case .call:
        var callable: Callable<Int, Int> = functions.httpsCallable(url)
        callable.timeoutInterval = timeout
        elements.append(.result(try await callable(0)))
      case .stream:
        var callable: Callable<Int, Response> = functions.httpsCallable(url)
        callable.timeoutInterval = timeout
        for try await element in try callable.stream(0) { elements.append(element) }
      }
    } catch let error as FunctionsError {
      return (elements, error)
    }
    return (elements, nil)
  }

  @Test(arguments: Fault.allCases, Operation.allCases)
  func callIsMadeOnceAndItsOutcomeIsCorrectOrAClearError(fault: Fault, operation: Operation) async throws {
    let server = try LoopbackServer { request in [answer(request)] }
    defer { server.stop() }
    for seed in 0..<UInt64(DeepTests.count(2, deep: 8)) {
      let proxy = try FaultProxy(to: server.port, seed: seed)
      defer { proxy.stop() }
      let requests = Lock(0)
      let (result, _) = await proxy.withFaults({ index, _ in
        requests.withLock { $0 += 1 }
        return fault
      }) {
        try await run(
          operation, port: proxy.port, timeout: fault == .delaysTooLong ? .seconds(1) : .seconds(30))
      }
      let (elements, error) = try result.get()
      #expect(requests.withLock { $0 } == 1, "\(fault), seed \(seed)")
      let expected = operation == .call ? [.result(3)] : Self.responses
      let comment = Comment(rawValue: "\(fault), seed \(seed): \(elements), \(error?.message ?? "no error")")
      switch fault {
      case .delays, .duplicatesRequest, .duplicatesAnswer:
        #expect(error == nil && elements == expected, comment)
      case .dropsRequest, .dropsAnswer, .truncatesHead:
        #expect(error != nil && elements.isEmpty, comment)
      case .truncatesBody:
        #expect(error != nil && expected.starts(with: elements), comment)
      case .delaysTooLong: #expect(error?.code == .deadlineExceeded, comment)
      case .answersWithAPage, .answersWithNothing, .answersBadGateway:
        #expect(error?.code == .internal && elements.isEmpty, comment)
      case .answersBusy: #expect(error?.code == .unavailable && elements.isEmpty, comment)
      case .corruptsHead, .corruptsBody:
        // A line whose name is changed is unknown, and ignored by the rules of the format.
        #expect(error != nil || elements.last == .result(3), comment)
        #expect(elements.allSatisfy(expected.contains), comment)
      }
      if let error { #expect(error.message.count > 20, comment) }
    }
  }
}
