import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The last calls of functions, which the data browser shows.
@Suite(.limited) struct FunctionCallLogTests {
  private let time = TestTime()
  private let embedded: Embedded

  init() { embedded = Embedded(projectID: "demo", directory: nil, time: time.source) }

  private func call(_ name: String, _ data: String = "null") async throws {
    let url = try #require(URL(string: "https://us-central1-demo.cloudfunctions.net/\(name)"))
    let type = HTTPHeader(name: "Content-Type", value: "application/json")
    _ = try await embedded.send(
      TransportRequest(
        .post, url, headers: HTTPHeaders([type]), body: .data(Data(#"{"data":\#(data)}"#.utf8))))
  }

  @Test func callsAreKeptWithTheirTimesAndErrors() async throws {
    let start = time.source.timestamp()
    embedded.onCall("work") { [time] (request: CallableRequest<Bool>) in
      time.advance(by: 0.02)
      guard request.data else { throw CallableError(.notFound, String(repeating: "x", count: 1_000)) }
    }
    try await call("work", "true")
    try await call("work", "false")
    let calls = try #require(embedded.functionCalls["work"])
    #expect(calls.map(\.duration) == [.milliseconds(20), .milliseconds(20)])
    #expect(calls.first?.start == start && calls.first?.error == nil)
    #expect(calls.last?.error?.count == 500)
  }

  @Test func theLast20CallsOfEachFunctionAreKept() async throws {
    embedded.onCall("one") { (request: CallableRequest<Int>) in
      guard request.data % 2 == 0 else { throw CallableError(.aborted, "\(request.data)") }
    }
    embedded.onCall("other") { (_: CallableRequest<Int>) in }
    try await call("other", "0")
    for number in 0..<30 { try await call("one", "\(number)") }
    #expect(embedded.functionCalls["other"]?.count == 1)
    let errors = embedded.functionCalls["one"]?.map { $0.error != nil }
    #expect(errors == (10..<30).map { $0 % 2 == 1 })
  }

  @Test func functionsAreListedByTheirNames() async throws {
    embedded.onCall("b") { (_: CallableRequest<Int>) in }
    embedded.onCall("a", region: "europe-west1") { (_: CallableRequest<Int>) in }
    try embedded.onRequest("c") { _ in FunctionResponse(text: "") }
    try embedded.onDocumentCreated("d", "notes/{id}") { _ in }
    let list = embedded.functionDescriptions
    #expect(list.map(\.name) == ["a", "b", "c", "d"])
    #expect(list.map(\.kind) == [.callable, .callable, .request, .event])
    #expect(list.map(\.region) == ["europe-west1", nil, nil, nil] && list[3].subject == "notes/{id}")
    try await call("b", "1")
    try await embedded.removeFunction("b")
    #expect(
      embedded.functionDescriptions.map(\.name) == ["a", "c", "d"] && embedded.functionCalls["b"] == nil)
  }
}
