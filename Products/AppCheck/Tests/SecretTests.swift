import Foundation
import TenonAppCheckInterop
import TenonCore
import TenonFoundation
import TenonTelemetry
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAppCheck

/// P6: credentials don't appear in errors, logs and descriptions.
@Suite(.limited) struct SecretTests {
  private static let secrets = ["s3cret-debug", "AIzaS3cretKey", "s3cret-token"]

  private func appCheck(_ transport: FakeTransport, log: RecordedLog) throws -> AppCheck {
    let options = AppOptions(projectID: "demo", apiKey: "AIzaS3cretKey", appID: "1:2:web:3", data: .memory)
    let context = AppContext(name: "tests", options: options, userAgent: "")
    let telemetry = Telemetry(source: "tests", logger: log.logger)
    let provider = try AppCheckDebugProvider(
      app: context, transport: transport, token: Secret("s3cret-debug"), telemetry: telemetry, time: .system
    ) { _ in }
    return AppCheck(
      app: context, provider: provider, store: MemoryTokenStore(), telemetry: telemetry, time: .system)
  }

  @Test(arguments: FakeTransport.EchoForm.allCases, [200, 400, 401, 404, 418, 429, 503])
  func p6ServerThatQuotesTheRequestRevealsNoSecrets(
    form: FakeTransport.EchoForm, status: Int
  ) async throws {
    let log = RecordedLog()
    let appCheck = try appCheck(.echo(status: status, form: form), log: log)
    let error = await #expect(throws: AppCheckError.self) { try await appCheck.token() }
    let result = await AttestedApp(keeper: appCheck.keeper).limitedUseToken()
    #expect(result.error != nil)
    let texts =
      disclosedTexts(of: error!) + disclosedTexts(of: appCheck) + disclosedTexts(of: result)
      + log.lines
    for text in texts {
      for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
    }
  }

  @Test(arguments: [#"{"token":"s3cret-token","ttl":"x"}"#, #"{"token":"s3cret-token""#])
  func p6MalformedAnswerIsNotQuoted(content: String) async throws {
    let log = RecordedLog()
    let appCheck = try appCheck(
      FakeTransport { _ in TransportResponse(status: 200, body: Data(content.utf8)) }, log: log)
    let error = await #expect(throws: AppCheckError.self) { try await appCheck.token() }
    for text in disclosedTexts(of: error!) { #expect(!text.contains("s3cret"), "\(text)") }
  }

  @Test func p6ValuesWithTokensDoNotShowThem() async throws {
    let log = RecordedLog()
    let transport = FakeTransport { _ in
      TransportResponse(status: 200, body: Data(#"{"token":"s3cret-token","ttl":"3600s"}"#.utf8))
    }
    let appCheck = try appCheck(transport, log: log)
    let token = try await appCheck.token()
    let result = await AttestedApp(keeper: appCheck.keeper).token(forcingRefresh: false)
    #expect(token.token == "s3cret-token" && result.token == "s3cret-token")
    let source = AppCheckDebugProviderFactory(token: "s3cret-debug")
    for value in [token, result, appCheck, appCheck.keeper, source] as [Any] {
      for text in disclosedTexts(of: value) + log.lines {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(text)") }
      }
    }
    await appCheck.keeper.close()
  }
}
