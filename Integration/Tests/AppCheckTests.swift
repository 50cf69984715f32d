import Foundation
import TenonAppCheck
import TenonAppCheckInterop
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonStorage
import TenonTesting
import Testing

/// App Check with the products that carry its tokens, over the embedded backend.
struct AppCheckTests {
  private static let appID = "1:42:web:a1"
  private static let everyProduct = ["tenon-auth", "tenon-functions", "tenon-storage", "tenon-embedded"]

  /// An app of its own, with App Check or without.
  private func withApp(
    appCheck: Bool = true,
    sources: [any ComponentSource] = [],
    _ body: (App, Embedded) async throws -> Void
  ) async throws {
    let options = AppOptions(
      projectID: "demo-products",
      appID: Self.appID,
      backend: .embedded(directory: nil),
      libraries: Self.everyProduct + (appCheck ? ["tenon-app-check"] : [])
    )
    let app = try App.configure(named: "app-\(UUID())", options: options, sources: sources)
    do { try await body(app, try Embedded.embedded(app: app)) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func appCheckKeepsTheContractOfItsInterop() async throws {
    try await withApp { app, _ in
      try await AppCheckInteropContract.check(try app.resolve((any AppCheckInterop).self))
    }
  }

  @Test func aRefusedAppKeepsTheContractOfFailures() async throws {
    try await withApp { app, embedded in
      embedded.settings.appCheckDebugTokens = []
      try await AppCheckInteropContract.checkFailing(try app.resolve((any AppCheckInterop).self))
      // On a machine with much to do the first waits are over at once; each refusal doubles them.
      var codes: [AppCheckError.Code?] = []
      while codes.last != .tooManyAttempts, codes.count < 8 {
        let error = await #expect(throws: AppCheckError.self) {
          try await AppCheck.appCheck(app: app).token()
        }
        codes.append(error?.code)
      }
      #expect(codes.last == .tooManyAttempts, "\(codes)")
      #expect(codes.dropLast().allSatisfy { $0 == .attestationRejected }, "\(codes)")
    }
  }

  @Test func everyProductWorksWhereAppCheckIsEnforced() async throws {
    try await withApp { app, embedded in
      embedded.settings.appCheckRequired = [.auth, .functions, .storage]
      embedded.onCall("app") { (request: CallableRequest<Int>) in request.app?.appID }
      try await Auth.auth(app: app).signInAnonymously()
      #expect(try await Auth.auth(app: app).currentUser?.getIDToken(forcingRefresh: true) != nil)
      let functions = try Functions.functions(app: app)
      #expect(try await functions.call("app", 1, returning: String?.self) == Self.appID)
      let limited = try await functions.call(
        "app", 1, returning: String?.self, limitedUseAppCheckToken: true)
      #expect(limited == Self.appID)
      let object = try Storage.storage(app: app).reference("a")
      try await object.put(Data("content".utf8))
      #expect(try await object.data() == Data("content".utf8))
      #expect(try await object.metadata().size == 7)
    }
  }

  @Test func aFunctionMayUseTokensUp() async throws {
    try await withApp { app, embedded in
      embedded.onCall("once", consumesAppCheckToken: true) { (request: CallableRequest<Int>) in
        request.app?.alreadyConsumed
      }
      let functions = try Functions.functions(app: app)
      for isRepeated in [false, true, true] {
        #expect(try await functions.call("once", 1, returning: Bool?.self) == isRepeated)
      }
      for _ in 0..<2 {
        let answer = try await functions.call(
          "once", 1, returning: Bool?.self, limitedUseAppCheckToken: true)
        #expect(answer == false)
      }
    }
  }

  @Test func aTokenSurvivesARestartUntilAnotherAppWantsOne() async throws {
    try await withTemporaryDirectory { directory in
      func token(appID: String) async throws -> String {
        let options = AppOptions(
          projectID: "demo-products",
          appID: appID,
          backend: .embedded(directory: directory.path)
        )
        let app = try App.configure(named: "app-check-restart", options: options)
        let result = await Result { try await AppCheck.appCheck(app: app).token().token }
        await app.delete()
        return try result.get()
      }
      let first = try await token(appID: Self.appID)
      #expect(try await token(appID: Self.appID) == first)
      #expect(try await token(appID: "1:42:web:b2") != first)
    }
  }

  @Test func withoutAppCheckEnforcingServicesRefuse() async throws {
    try await withApp(appCheck: false) { app, embedded in
      embedded.onCall("app") { (request: CallableRequest<Int>) in request.app?.appID }
      let functions = try Functions.functions(app: app)
      let object = try Storage.storage(app: app).reference("a")
      #expect(try await functions.call("app", 1, returning: String?.self) == nil)
      try await object.put(Data("content".utf8))
      embedded.settings.appCheckRequired = [.auth, .functions, .storage]
      try await expectRefusals(app)
      embedded.settings.appCheckRequired = []
      #expect(try await object.data() == Data("content".utf8))
    }
  }

  @Test func aTokenThatDoesNotHoldIsRefused() async throws {
    let provider = CustomAppCheckProvider { _ in
      AppCheckToken(token: "not.a.token", expirationDate: .now + 3_600)
    }
    try await withApp(sources: [provider]) { app, embedded in
      embedded.settings.appCheckRequired = [.auth, .functions, .storage]
      embedded.onCall("app") { (request: CallableRequest<Int>) in request.app?.appID }
      try await expectRefusals(app)
      embedded.settings.appCheckRequired = []
      #expect(try await Functions.functions(app: app).call("app", 1, returning: String?.self) == nil)
    }
  }

  private func expectRefusals(_ app: App) async throws {
    let auth = await #expect(throws: AuthError.self) { try await Auth.auth(app: app).signInAnonymously() }
    #expect(auth?.code == .appCheckTokenInvalid)
    let functions = await #expect(throws: FunctionsError.self) {
      try await Functions.functions(app: app).call("app", 1)
    }
    #expect(functions?.code == .unauthenticated)
    let storage = await #expect(throws: StorageError.self) {
      try await Storage.storage(app: app).reference("a").data()
    }
    #expect(storage?.code == .unauthorizedApp)
  }
}

extension Result where Failure == any Error {
  /// What a body gives or throws.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
