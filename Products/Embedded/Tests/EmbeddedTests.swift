import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct EmbeddedTests {
  @Test func anAppOnTheEmbeddedBackendHasItsTransport() async throws {
    let options = AppOptions(projectID: "demo", backend: .embedded(directory: nil))
    let app = try App.configure(
      name: "embedded-\(UUID())",
      options: options,
      libraries: [EmbeddedLibrary.self]
    )
    let embedded = try Embedded.embedded(app: app)
    let transport = try app.resolve((any TransportInterop).self)
    #expect(transport as? Embedded === embedded)
    await app.delete()
    let url = try #require(URL(string: "https://firebasestorage.googleapis.com/v0/b/demo/o"))
    #expect(try await embedded.send(TransportRequest(.get, url)).status == 503)
  }

  @Test func anAppOnAnotherBackendHasNone() async throws {
    let options = AppOptions(projectID: "demo", data: .memory)
    let app = try App.configure(
      name: "embedded-\(UUID())",
      options: options,
      libraries: [EmbeddedLibrary.self]
    )
    #expect(try app.resolveIfPresent((any TransportInterop).self) == nil)
    let error = #expect(throws: (any Error).self) { try Embedded.embedded(app: app) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("AppOptions.backend must be .embedded"))
    await app.delete()
  }

  @Test func settingsCanBeCreatedWithAnyValues() {
    var settings = EmbeddedSettings(
      emailPrivacy: true, appCheckRequired: [.auth], appCheckDebugTokens: ["token"],
      objectsRequireSignIn: true, urlSigners: ["a": "b"], passwordSignIn: false, emailLinkSignIn: false,
      anonymousSignIn: false,
      phoneSignIn: false, testPhoneNumbers: ["+15555550100": "123456"], phoneSecondFactors: false,
      totpSecondFactors: false, relyingPartyID: "example.com", duplicateEmails: true,
      codeLifetime: .seconds(60), servesOtherProjects: true,
      createsProjectsAndTenants: true, unverifiedPasskeys: true, fastPasswordHashing: true)
    settings.blockingTriggers.forwardsIDToken = true
    settings.secondFactorsAreMandatory = true
    settings.demandsSecondFactors = true
    settings.passwordPolicy.isEnforced = true
    let values = Mirror(reflecting: settings).children
    #expect(values.count == 23)
    for (value, other) in zip(values, Mirror(reflecting: EmbeddedSettings()).children) {
      #expect("\(value.value)" != "\(other.value)", "\(value.label ?? "")")
    }
  }

  @Test func aDeadlineEndsASlowFunction() async throws {
    let backend = Backend()
    backend.embedded.onCall("wait") { (_: CallableRequest<Int?>) in try await Task.sleep(for: .seconds(3_600))
    }
    let url = try #require(URL(string: "https://us-central1-demo.cloudfunctions.net/wait"))
    var request = TransportRequest(
      .post,
      url,
      body: .data(Data(#"{"data":null}"#.utf8)),
      deadline: .milliseconds(1)
    )
    request.headers.fields.append(HTTPHeader(name: "Content-Type", value: "application/json"))
    let error = await #expect(throws: TransportError.self) { try await backend.embedded.send(request) }
    #expect(error?.code == .timedOut)
  }

  /// A closure that doesn't notice its cancellation must hold neither its caller nor the deadline.
  @Test(arguments: [true, false])
  func p4CallOfAClosureThatIgnoresItsCancellationEnds(hasDeadline: Bool) async throws {
    let backend = Backend()
    let (held, release) = AsyncStream<Void>.makeStream()
    let (starts, started) = AsyncStream<Void>.makeStream()
    backend.embedded.onCall("wait") { (_: CallableRequest<Int?>) in
      started.yield()
      await Task.detached { for await _ in held {} }.value
    }
    let url = try #require(URL(string: "https://us-central1-demo.cloudfunctions.net/wait"))
    let headers = HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")])
    let request = TransportRequest(
      .post, url, headers: headers, body: .data(Data(#"{"data":null}"#.utf8)),
      deadline: hasDeadline ? .milliseconds(1) : nil)
    let call = Task { try await backend.embedded.send(request) }
    if hasDeadline {
      let error = await #expect(throws: TransportError.self) { try await call.value }
      #expect(error?.code == .timedOut)
    } else {
      for await _ in starts { break }
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
    }
    release.finish()
  }

  @Test func theTransportFulfilsTheContract() async throws {
    let backend = Backend()
    backend.embedded.onCall("wait") { (_: CallableRequest<Int?>) in try await Task.sleep(for: .seconds(3_600))
    }
    let object = "https://firebasestorage.googleapis.com/v0/b/demo/o"
    _ = try await backend.send(.post, "\(object)?name=a", body: Data("hello".utf8))
    let function = try #require(URL(string: "https://us-central1-demo.cloudfunctions.net/wait"))
    let json = HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")])
    try await TransportInteropContract.check(
      backend.embedded,
      found: TransportRequest(.get, try #require(URL(string: "\(object)/a?alt=media"))),
      missing: TransportRequest(.get, try #require(URL(string: "\(object)/none"))),
      unanswered: TransportRequest(.post, function, headers: json, body: .data(Data(#"{"data":null}"#.utf8)))
    )
    try await TransportInteropContract.checkBodies(
      backend.embedded,
      upload: TransportRequest(.post, try #require(URL(string: "\(object)?name=b"))),
      download: TransportRequest(.get, try #require(URL(string: "\(object)/b?alt=media")))
    )
  }
}
