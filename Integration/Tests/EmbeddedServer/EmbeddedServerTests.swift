import Foundation
import TenonAuth
import TenonCore
import TenonFunctions
import TenonStorage
import TenonTransport
import TenonTransportInterop
import Testing

/// The products as clients of `embedded-server`, over HTTP.
@Suite(.patient)
struct EmbeddedServerTests {
  @Test func aUserSignsUpSignsInSignsOutAndIsDeleted() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        let uid = try await auth.createUser(email: "ada@example.com", password: "lovelace").user.uid
        #expect(try await auth.updateProfile(displayName: "Ada", photoURL: nil).displayName == "Ada")
        try await auth.signOut()
        let wrong = await #expect(throws: AuthError.self) {
          try await auth.signIn(email: "ada@example.com", password: "babbage")
        }
        #expect(wrong?.code == .wrongPassword)
        #expect(try await auth.signIn(email: "ADA@example.com", password: "lovelace").user.uid == uid)
        let token = try await auth.idTokenResult()
        let renewed = try #require(try await auth.idTokenResult(forcingRefresh: true))
        #expect(renewed.userID == uid && renewed.signedIn == token?.signedIn)
        try await auth.deleteUser()
        let gone = await #expect(throws: AuthError.self) {
          try await auth.signIn(email: "ada@example.com", password: "lovelace")
        }
        #expect(gone?.code == .userNotFound)
      }
    }
  }

  @Test func anAnonymousUserIsLinkedAndUnlinked() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        let uid = try await auth.signInAnonymously().user.uid
        _ = try await auth.link(with: .password(email: "ann@example.com", password: "secret!"))
        let google = AuthCredential.provider(.google, idToken: #"{"sub": "g-1", "name": "Ann"}"#)
        #expect(try await auth.link(with: google).uid == uid)
        try await auth.signOut()
        #expect(try await auth.signIn(with: google).user.uid == uid)
        #expect(try await auth.unlink(.google).providers.map(\.providerID) == [.password])
        let again = try await auth.reauthenticate(
          with: .password(email: "ann@example.com", password: "secret!"))
        #expect(again.uid == uid)
      }
    }
  }

  @Test func emailedCodesAreFetchedAndUsed() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        _ = try await auth.createUser(email: "eve@example.com", password: "forgotten")
        try await auth.sendEmailVerification()
        let verification = try await server.mail(to: "eve@example.com")
        #expect(try await auth.checkActionCode(verification.oobCode).email == "eve@example.com")
        try await auth.applyActionCode(verification.oobCode)
        #expect(try await auth.reload().isEmailVerified)
        try await auth.sendPasswordReset(to: "eve@example.com")
        let reset = try await server.mail(to: "eve@example.com")
        try await auth.confirmPasswordReset(code: reset.oobCode, newPassword: "remembered")
        let settings = ActionCodeSettings(
          continueURL: URL(string: "https://example.com/next"), handlesCodeInApp: true)
        try await auth.sendSignInLink(to: "eve@example.com", settings: settings)
        let link = try await server.mail(to: "eve@example.com").oobLink
        #expect(try await auth.signIn(email: "eve@example.com", link: link).user.email == "eve@example.com")
        #expect(try await auth.signIn(email: "eve@example.com", password: "remembered").isNewUser == false)
      }
    }
  }

  @Test func emailedLinksLeadToTheServer() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        _ = try await auth.createUser(email: "joe@example.com", password: "secret!")
        try await auth.sendEmailVerification()
        let link = try await server.mail(to: "joe@example.com").oobLink.absoluteString
        let origin = "http://\(server.address)"
        #expect(link.hasPrefix("\(origin)/emulator/action?"))
        #expect(try await server.send(.get, String(link.dropFirst(origin.count))).status == 200)
        #expect(try await auth.reload().isEmailVerified)
        #expect(try await server.mails().isEmpty)
      }
    }
  }

  @Test func aFunctionReceivesTheCallingUser() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let functions = try Functions.functions(app: app)
        let whoami = functions.httpsCallable("whoami", requestAs: String?.self, responseAs: String?.self)
        let nobody = try await whoami(nil)
        #expect(nobody == nil)
        let uid = try await Auth.auth(app: app).signInAnonymously().user.uid
        #expect(try await whoami(nil) == uid)
        #expect(
          try await functions.httpsCallable("echo").call(["a": "é"]).data as? [String: String] == ["a": "é"])
        let thrown = await #expect(throws: FunctionsError.self) {
          try await functions.httpsCallable("echo").call(1)
        }
        #expect(thrown?.code == .invalidArgument)
      }
    }
  }

  @Test func objectsAreReturnedUnchanged() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let storage = try Storage.storage(app: app)
        // More than one chunk of a resumable upload, and a name with characters that URLs encode.
        let content = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let object = storage.reference(withPath: "folder/naïve + 100%.bin")
        #expect(try await object.putDataAsync(content).size == Int64(content.count))
        #expect(try await object.data() == content)
        #expect(
          try await storage.reference(withPath: "folder").list(maxResults: 1000).items.map(\.fullPath) == [
            "folder/naïve + 100%.bin"
          ])
        let changed = try await object.updateMetadata(StorageMetadata(contentType: "application/x-test"))
        #expect(changed.contentType == "application/x-test")
        try await object.delete()
        let gone = await #expect(throws: StorageError.self) { try await object.data() }
        #expect(gone?.code == .objectNotFound)
      }
    }
  }

  @Test func usersArePersistentInADirectory() async throws {
    try await withTemporaryDirectory { directory in
      var uid = ""
      try await withServedBackend(directory: directory) { server in
        try await server.withApp { app in
          uid = try await Auth.auth(app: app).createUser(email: "joe@example.com", password: "secret!").user
            .uid
        }
      }
      try await withServedBackend(directory: directory) { server in
        try await server.withApp { app in
          let user = try await Auth.auth(app: app).signIn(email: "joe@example.com", password: "secret!").user
          #expect(user.uid == uid)
        }
      }
    }
  }
}
