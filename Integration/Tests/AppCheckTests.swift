import Foundation
import TenonAppCheck
import TenonAppCheckInterop
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions
import TenonStorage
import TenonTestSupport
import TenonTesting
import Testing

/// App Check with the products that send its tokens, on the embedded backend.
@Suite(.limited) struct AppCheckTests {
  private static let appID = "1:42:web:a1"
  private static let everyProduct = ["tenon-auth", "tenon-functions", "tenon-storage", "tenon-embedded"]

  /// Runs a closure with an app, with App Check or without it.
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
    let app = try App.configure(name: "app-\(UUID())", options: options, sources: sources)
    do { try await body(app, try Embedded.embedded(app: app)) } catch {
      await app.delete()
      throw error
    }
    await app.delete()
  }

  @Test func appCheckFulfilsTheContractOfItsInterop() async throws {
    try await withApp { app, _ in
      try await AppCheckInteropContract.check(try app.resolve((any AppCheckInterop).self))
    }
  }

  @Test func aRejectedAppFulfilsTheContractOfFailures() async throws {
    try await withApp { app, embedded in
      embedded.settings.appCheckDebugTokens = []
      try await AppCheckInteropContract.checkFailing(try app.resolve((any AppCheckInterop).self))
      // On a busy machine, the first delays pass immediately. Each rejection doubles them.
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
      #expect(try await functions.httpsCallable("app").call(1).data as? String == Self.appID)
      let options = HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true)
      let limited = try await functions.httpsCallable("app", options: options).call(1).data as? String
      #expect(limited == Self.appID)
      let object = try Storage.storage(app: app).reference(withPath: "a")
      try await object.putDataAsync(Data("content".utf8))
      #expect(try await object.data() == Data("content".utf8))
      #expect(try await object.getMetadata().size == 7)
    }
  }

  @Test func aFunctionCanConsumeTokens() async throws {
    try await withApp { app, embedded in
      embedded.onCall("once", consumesAppCheckToken: true) { (request: CallableRequest<Int>) in
        request.app?.alreadyConsumed
      }
      let functions = try Functions.functions(app: app)
      for isRepeated in [false, true, true] {
        #expect(try await functions.httpsCallable("once").call(1).data as? Bool == isRepeated)
      }
      for _ in 0..<2 {
        let options = HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true)
        let answer = try await functions.httpsCallable("once", options: options).call(1)
        #expect(answer.data as? Bool == false)
      }
    }
  }

  @Test func aTokenSurvivesARestartButIsNotUsedByAnotherApp() async throws {
    try await withTemporaryDirectory { directory in
      func token(appID: String) async throws -> String {
        let options = AppOptions(
          projectID: "demo-products",
          appID: appID,
          backend: .embedded(directory: directory.path)
        )
        let app = try App.configure(name: "app-check-restart", options: options)
        let result = await Result { try await AppCheck.appCheck(app: app).token().token }
        await app.delete()
        return try result.get()
      }
      let first = try await token(appID: Self.appID)
      #expect(try await token(appID: Self.appID) == first)
      #expect(try await token(appID: "1:42:web:b2") != first)
    }
  }

  @Test func withoutAppCheckEnforcingServicesRejectRequests() async throws {
    try await withApp(appCheck: false) { app, embedded in
      embedded.onCall("app") { (request: CallableRequest<Int>) in request.app?.appID }
      let functions = try Functions.functions(app: app)
      let object = try Storage.storage(app: app).reference(withPath: "a")
      #expect(try await functions.httpsCallable("app").call(1).data(as: String?.self) == nil)
      try await object.putDataAsync(Data("content".utf8))
      embedded.settings.appCheckRequired = [.auth, .functions, .storage]
      try await expectRefusals(app)
      embedded.settings.appCheckRequired = []
      #expect(try await object.data() == Data("content".utf8))
    }
  }

  @Test func anInvalidTokenIsRejected() async throws {
    let provider = CustomAppCheckProvider { _ in
      AppCheckToken(token: "not.a.token", expirationDate: .now + 3_600)
    }
    try await withApp(sources: [provider]) { app, embedded in
      embedded.settings.appCheckRequired = [.auth, .functions, .storage]
      embedded.onCall("app") { (request: CallableRequest<Int>) in request.app?.appID }
      try await expectRefusals(app)
      embedded.settings.appCheckRequired = []
      #expect(
        try await Functions.functions(app: app).httpsCallable("app").call(1).data(as: String?.self) == nil)
    }
  }

  private func expectRefusals(_ app: App) async throws {
    let auth = await #expect(throws: AuthError.self) { try await Auth.auth(app: app).signInAnonymously() }
    #expect(auth?.code == .appCheckTokenInvalid)
    let functions = await #expect(throws: FunctionsError.self) {
      try await Functions.functions(app: app).httpsCallable("app").call(1)
    }
    #expect(functions?.code == .unauthenticated)
    let storage = await #expect(throws: StorageError.self) {
      try await Storage.storage(app: app).reference(withPath: "a").data()
    }
    #expect(storage?.code == .unauthorizedApp)
  }
}

extension Result where Failure == any Error {
  /// Returns the value of a closure, or its error.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
