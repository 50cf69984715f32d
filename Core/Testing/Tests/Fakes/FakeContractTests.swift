import Foundation
import TenonAuthInterop
import TenonObservabilityInterop
import TenonRules
import TenonStoreInterop
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@Suite(.limited) struct FakeContractTests {
  private struct Failure: Error {}

  @Test func fakeAuthFulfilsTheContractOfAuth() async throws {
    let auth = FakeAuth()
    try await AuthInteropContract.check(
      auth,
      signIn: { auth.signIn(userID: "ann") },
      signOut: { auth.signOut() }
    )
  }

  @Test func fakeAuthThrowsTheErrorThatTheTestSet() async {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    auth.failTokens(with: Failure())
    await #expect(throws: Failure.self) { try await auth.token(forcingRefresh: false) }
  }

  @Test func fakeAppCheckFulfilsTheContractOfAppCheck() async throws {
    let appCheck = FakeAppCheck()
    try await AppCheckInteropContract.check(appCheck)
    appCheck.fail(with: Failure())
    try await AppCheckInteropContract.checkFailing(appCheck)
  }

  @Test func fakeAdminFulfilsTheContractOfAdmin() async throws {
    try await AdminInteropContract.check(FakeAdmin())
    let failing = FakeAdmin()
    failing.fail(with: Failure())
    try await AdminInteropContract.checkFailing(failing) { failing.fail(with: nil) }
  }

  @Test func fakeStorageFulfilsTheContractOfStorage() async throws {
    try await StorageInteropContract.check(FakeStorage(), otherBucket: "other")
  }

  @Test func fakeTransportFulfilsTheContractOfTransport() async throws {
    let url = try #require(URL(string: "https://example.invalid/found"))
    let missing = try #require(URL(string: "https://example.invalid/missing"))
    let transport = FakeTransport { request in
      request.url == url
        ? TransportResponse(status: 200, body: Data("here".utf8)) : TransportResponse(status: 404)
    }
    try await TransportInteropContract.check(
      transport,
      found: TransportRequest(.get, url),
      missing: TransportRequest(.get, missing),
      unanswered: nil
    )
    #expect(transport.requests.contains { $0.url == missing })
  }

  /// What ``WriteRulesContract/source`` means.
  @Test func fakeWriteRulesFulfilTheContractOfWriteRules() throws {
    let rules = FakeWriteRules(source: WriteRulesContract.source) { attempt in
      switch attempt.path.segments.first {
      case "gated": return .allowed
      case "owned": break
      default: return .denied(reason: "no rule")
      }
      let fields: (Fields, isWhole: Bool)? =
        switch attempt.method == .create ? attempt.after : attempt.before {
        case .exists(let fields): (fields, true)
        case .partial(let fields): (fields, false)
        case .missing: ([:], true)
        case .unknown: nil
        }
      guard let fields, let owner = fields.0["owner"] else {
        return fields?.isWhole == true ? .denied(reason: "no owner") : .unknown
      }
      return owner.stringValue == attempt.user?.uid ? .allowed : .denied(reason: "another owner")
    } reading: {
      $0.path.segments.first == "gated" ? [ResourcePath(segments: ["gates", "main"])] : []
    } requiring: { gate in
      switch gate {
      case .exists(let fields): fields["open"] == true ? .allowed : .denied(reason: "closed")
      case .partial(let fields):
        fields["open"].map { $0 == true ? .allowed : .denied(reason: "closed") } ?? .unknown
      case .missing: .denied(reason: "no gate")
      case .unknown: .unknown
      }
    }
    try WriteRulesContract.check(rules)
    #expect(rules.batches.contains { $0.count == 4 })
  }

  @Test func securityRulesFulfilTheContractOfWriteRules() throws {
    try WriteRulesContract.check(try SecurityRules(source: WriteRulesContract.source))
  }

  @Test func fakeObservabilityRecordsEveryCall() async throws {
    let observability = FakeObservability()
    await ObservabilityInteropContract.exercise(observability, count: 50)
    #expect(Set(observability.entries.map(\.message)).count == 50)
    #expect(observability.counts == ["contract": 50])
    #expect(Set(observability.entries.map(\.fields)).count == 50)
    #expect(Set(observability.gauges.map(\.value)) == Set((0..<50).map(Double.init)))
    #expect(Set(observability.durations.map(\.value)) == Set((0..<50).map { .milliseconds($0) }))
    let spans = observability.spans
    #expect(spans.count == 100 && spans.allSatisfy { $0.isEnded && $0.attributes["text"] == "a" })
    #expect(spans.filter { $0.errorType == "cancelled" }.count == 50)
    let inner = spans.filter { $0.kind == .client }
    #expect(inner.count == 50)
    for span in inner {
      let parent = try #require(span.parent)
      #expect(spans[parent].attributes["number"] == span.attributes["number"])
    }
  }
}
