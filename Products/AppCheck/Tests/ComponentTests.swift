import Foundation
import TenonAppCheckInterop
import TenonCore
import TenonTestSupport
import Testing

@testable import TenonAppCheck

@Suite(.limited) struct ComponentTests {
  private func withApp(
    _ options: AppOptions = AppOptions(projectID: "demo", apiKey: "key", appID: "1:2:web:3", data: .memory),
    sources: [any ComponentSource] = [],
    _ body: (App) async throws -> Void
  ) async throws {
    let app = try App.configure(
      name: "app-check-\(UUID())", options: options, libraries: [AppCheckLibrary.self], sources: sources)
    do { try await body(app) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func withoutAProviderAppCheckIsAsIfItWereNotLinked() async throws {
    try await withApp { app in
      let interop = try app.resolveIfPresent((any AppCheckInterop).self)
      #expect(interop == nil)
      let error = #expect(throws: ComponentError.self) { try AppCheck.appCheck(app: app) }
      #expect("\(error as Any)".contains("has no App Check provider"))
    }
  }

  @Test func aProviderNeedsOnlyTheTokenForManyRequests() async throws {
    struct Provider: AppCheckProvider {
      func getToken() async throws -> AppCheckToken {
        AppCheckToken(token: "many", expirationDate: .now + 3_600)
      }
    }
    #expect(try await Provider().getLimitedUseToken().token == "many")
  }

  @Test func aProviderAmongTheSourcesIsUsed() async throws {
    let provider = CustomAppCheckProvider { limitedUse in
      AppCheckToken(token: limitedUse ? "limited" : "custom", expirationDate: .now + 3_600)
    }
    try await withApp(sources: [provider]) { app in
      let interop = try app.resolve((any AppCheckInterop).self)
      #expect(await interop.token(forcingRefresh: false).token == "custom")
      #expect(await interop.limitedUseToken().token == "limited")
      #expect(try await AppCheck.appCheck(app: app).token().token == "custom")
      #expect(app.graph.components.contains { $0.library == "tenon-app-check" })
    }
  }

  @Test func theDebugProvidersFactoryMayBeAmongTheSources() async throws {
    try await withApp(sources: [AppCheckDebugProviderFactory(token: "given")]) { app in
      let provider = try app.resolve((any AppCheckProvider).self)
      #expect(try await (provider as? AppCheckDebugProvider)?.currentDebugToken() == "given")
    }
  }

  @Test func aDebugProviderWithoutAnAppIDIsAnError() async throws {
    let options = AppOptions(projectID: "demo", apiKey: "key", data: .memory)
    try await withApp(options, sources: [AppCheckDebugProviderFactory()]) { app in
      #expect(throws: (any Error).self) { try app.resolveIfPresent((any AppCheckInterop).self) }
    }
  }
}
