import Foundation
import TenonCore
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonFunctions

/// P6: credentials don't appear in errors and descriptions.
@Suite(.limited) struct SecretTests {
  @Test(arguments: FakeTransport.EchoForm.allCases, [200, 400, 401, 500])
  func p6ServerThatQuotesTheRequestRevealsNoTokens(form: FakeTransport.EchoForm, status: Int) async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let transport = FakeTransport.echo(status: status, form: form)
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let instances = try FunctionsInstances(
      app: context, auth: auth, appCheck: FakeAppCheck(), transport: transport)
    let functions = try instances.functions(region: "us-central1")
    let callable = functions.httpsCallable("f")
    let error = await #expect(throws: FunctionsError.self) { try await callable.call("data") }
    let request = try #require(transport.requests.first)
    let tokens = [request.headers["Authorization"], request.headers["X-Firebase-AppCheck"]]
    let details = disclosedTexts(of: error?.details as Any)
    for text in disclosedTexts(of: error as Any) + disclosedTexts(of: error!) + details {
      for token in tokens { #expect(!text.contains(token!.split(separator: " ").last!), "\(text)") }
    }
    for value in [functions, callable, instances] as [Any] {
      for text in disclosedTexts(of: value) { #expect(!text.contains("ann-token"), "\(text)") }
    }
  }

  /// The server quotes the request in an event.
  @Test(arguments: FakeTransport.EchoForm.allCases)
  func p6StreamThatQuotesTheRequestRevealsNoTokens(form: FakeTransport.EchoForm) async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let echo = FakeTransport.echo(status: 200, form: form)
    let transport = FakeTransport { request in
      let event = Data("data: ".utf8) + (try await echo.send(request).body) + Data("\n\n".utf8)
      let type = HTTPHeader(name: "Content-Type", value: "text/event-stream")
      return TransportResponse(status: 200, headers: HTTPHeaders([type]), body: event)
    }
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let stream = try FunctionsInstances(
      app: context, auth: auth, appCheck: FakeAppCheck(), transport: transport
    )
    .functions(region: "us-central1").httpsCallable("f").stream("data")
    let error = await #expect(throws: FunctionsError.self) { for try await _ in stream {} }
    #expect(transport.requests.first?.headers["Authorization"] == "Bearer ann-token-0")
    let details = disclosedTexts(of: error?.details as Any)
    for text in disclosedTexts(of: error as Any) + details {
      #expect(!text.contains("ann-token") && !text.contains("app-check-1"), "\(text)")
    }
  }

  /// What a function returns is its own business.
  @Test func resultsAreNotChanged() async throws {
    let auth = FakeAuth()
    auth.signIn(userID: "ann")
    let transport = FakeTransport { _ in
      TransportResponse(status: 200, body: Data(#"{"result": "ann-token-0"}"#.utf8))
    }
    let context = AppContext(name: "tests", options: AppOptions(projectID: "demo"), userAgent: "")
    let functions = try FunctionsInstances(app: context, auth: auth, appCheck: nil, transport: transport)
      .functions(region: "us-central1")
    let call: Callable<Int?, String> = functions.httpsCallable("whoami")
    #expect(try await call(nil) == "ann-token-0")
  }
}
