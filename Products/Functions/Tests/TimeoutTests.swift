import Foundation
import TenonCore
import TenonFoundation
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

@Suite(.limited) struct TimeoutTests {
  private func functions(_ transport: any TransportInterop, time: TimeSource = .system) throws -> Functions {
    let context = AppContext(
      name: "tests", options: AppOptions(projectID: "demo"), userAgent: "tenon-tests/1")
    return try FunctionsInstances(
      app: context, auth: FakeAuth(), appCheck: FakeAppCheck(), transport: transport, time: time
    ).functions(region: "us-central1")
  }

  private static func answering() -> FakeTransport {
    FakeTransport { _ in TransportResponse(status: 200, body: Data(#"{"result": 1}"#.utf8)) }
  }

  @Test func timeoutsReachTheRequestOfEveryCall() async throws {
    let transport = Self.answering()
    let functions = try functions(transport)
    let count = functions.httpsCallable("count")
    let typed: Callable<Int?, Int> = functions.httpsCallable("count")
    try await count.call()
    #expect(
      functions.timeouts == HTTPTimeouts(connecting: .seconds(30), firstByte: nil, inactivity: .seconds(60)))
    let changed = HTTPTimeouts(connecting: .seconds(1), firstByte: .seconds(2), inactivity: .seconds(3))
    functions.timeouts = changed
    try await count.call()
    _ = try await typed(nil)
    #expect(transport.requests.map(\.timeouts) == [HTTPTimeouts(), changed, changed])
    #expect(transport.requests.allSatisfy { $0.deadline != nil })
  }

  @Test func timeoutsBelongToTheRegion() throws {
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let instances = try FunctionsInstances(
      app: context, auth: nil, appCheck: nil, transport: Self.answering())
    try instances.functions(region: "us-central1").timeouts.connecting = .seconds(1)
    #expect(try instances.functions(region: "us-central1").timeouts.connecting == .seconds(1))
    #expect(try instances.functions(region: "europe-west1").timeouts.connecting == .seconds(30))
  }

  /// P4: the limit of a call covers the encoding of its data and the decoding of its result.
  @Test(arguments: ["data", "response", "result"])
  func p4ResultThatIsCompleteTooLateIsATimeout(slow: String) async throws {
    struct Slow: Codable {
      var id: String
      init(_ id: String) { self.id = id }
      func encode(to encoder: any Encoder) throws {
        Time.pass(id)
        var container = encoder.singleValueContainer()
        try container.encode(id)
      }
      init(from decoder: any Decoder) throws {
        id = try decoder.singleValueContainer().decode(String.self)
        Time.pass(id)
      }
    }
    enum Time {
      @TaskLocal static var slow: (id: String, time: TestTime)?
      static func pass(_ id: String) { if let slow, slow.id == id { slow.time.advance(by: 70) } }
    }
    let time = TestTime()
    let transport = FakeTransport { _ in
      Time.pass("response")
      return TransportResponse(status: 200, body: Data(#"{"result": "result"}"#.utf8))
    }
    let call: Callable<Slow, Slow> = try functions(transport, time: time.source).httpsCallable("f")
    let error = await Time.$slow.withValue((slow, time)) {
      await #expect(throws: FunctionsError.self) { try await call(Slow("data")) }
    }
    #expect(error?.code == .deadlineExceeded && error?.message.contains("timeoutInterval") == true)
    #expect(try await call(Slow("data")).id == "result")
  }

  #if os(Linux)
    @Test(arguments: StalledTransport.phases)
    func silentServerIsAnErrorThatNamesTheLimit(phase: TransportError.Timeout) async throws {
      let transport = try await StalledTransport(silentIn: phase)
      defer { transport.stop() }
      let functions = try functions(transport)
      let callable = functions.httpsCallable("f")
      let short = Duration.milliseconds(80)
      let setting: String
      switch phase {
      case .connecting: (functions.timeouts.connecting, setting) = (short, "Functions.timeouts.connecting")
      case .firstByte: (functions.timeouts.firstByte, setting) = (short, "Functions.timeouts.firstByte")
      case .inactivity: (functions.timeouts.inactivity, setting) = (short, "Functions.timeouts.inactivity")
      default: (callable.timeoutInterval, setting) = (short, "timeoutInterval")
      }
      let error = await #expect(throws: FunctionsError.self) { try await callable.call() }
      #expect(error?.code == (phase == .connecting ? .unavailable : .deadlineExceeded))
      #expect(error?.message.hasSuffix("The limit is \(setting).") == true, "\(error?.message ?? "")")
      #expect((error?.underlying as? TransportError)?.timeout == phase)
    }
  #endif
}
