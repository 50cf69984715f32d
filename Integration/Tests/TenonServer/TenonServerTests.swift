import Foundation
import TenonAuth
import TenonCore
import TenonFunctions
import TenonStorage
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The products as clients of `tenon-server`, over HTTP.
@Suite(.limited, .patient)
struct TenonServerTests {
  @Test func aUserSignsUpSignsInSignsOutAndIsDeleted() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        let uid = try await auth.createUser(withEmail: "ada@example.com", password: "lovelace").user.uid
        let request = auth.currentUser?.createProfileChangeRequest()
        request?.displayName = "Ada"
        request?.photoURL = nil
        try await request?.commitChanges()
        #expect(auth.currentUser?.displayName == "Ada")
        try await auth.signOut()
        let wrong = await #expect(throws: AuthError.self) {
          try await auth.signIn(withEmail: "ada@example.com", password: "babbage")
        }
        #expect(wrong?.code == .wrongPassword)
        #expect(try await auth.signIn(withEmail: "ADA@example.com", password: "lovelace").user.uid == uid)
        let user = try #require(auth.currentUser)
        let token = try await user.getIDTokenResult()
        let renewed = try await user.getIDTokenResult(forcingRefresh: true)
        #expect(renewed.userID == uid && renewed.authDate == token.authDate)
        try await user.delete()
        let gone = await #expect(throws: AuthError.self) {
          try await auth.signIn(withEmail: "ada@example.com", password: "lovelace")
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
        try await auth.currentUser?.link(
          with: EmailAuthProvider.credential(withEmail: "ann@example.com", password: "secret!"))
        let google = OAuthProvider.credential(providerID: .google, idToken: #"{"sub": "g-1", "name": "Ann"}"#)
        #expect(try await auth.currentUser?.link(with: google).user.uid == uid)
        try await auth.signOut()
        #expect(try await auth.signIn(with: google).user.uid == uid)
        let unlinked = try await auth.currentUser?.unlink(fromProvider: GoogleAuthProvider.id)
        #expect(unlinked?.providerData.map(\.providerID) == [EmailAuthProvider.id])
        let again = try await auth.currentUser?.reauthenticate(
          with: EmailAuthProvider.credential(withEmail: "ann@example.com", password: "secret!"))
        #expect(again?.user.uid == uid)
      }
    }
  }

  @Test func emailedCodesAreFetchedAndUsed() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        _ = try await auth.createUser(withEmail: "eve@example.com", password: "forgotten")
        try await auth.currentUser?.sendEmailVerification()
        let verification = try await server.mail(to: "eve@example.com")
        #expect(try await auth.checkActionCode(verification.oobCode).email == "eve@example.com")
        try await auth.applyActionCode(verification.oobCode)
        try await auth.currentUser?.reload()
        #expect(auth.currentUser?.isEmailVerified == true)
        try await auth.sendPasswordReset(withEmail: "eve@example.com")
        let reset = try await server.mail(to: "eve@example.com")
        try await auth.confirmPasswordReset(withCode: reset.oobCode, newPassword: "remembered")
        let settings = ActionCodeSettings(
          url: URL(string: "https://example.com/next"), handleCodeInApp: true)
        try await auth.sendSignInLink(toEmail: "eve@example.com", actionCodeSettings: settings)
        let link = try await server.mail(to: "eve@example.com").oobLink
        #expect(
          try await auth.signIn(withEmail: "eve@example.com", link: link.absoluteString).user.email
            == "eve@example.com")
        #expect(
          try await auth.signIn(withEmail: "eve@example.com", password: "remembered").additionalUserInfo?
            .isNewUser == false)
      }
    }
  }

  @Test func emailedLinksLeadToTheServer() async throws {
    try await withServedBackend { server in
      try await server.withApp { app in
        let auth = try Auth.auth(app: app)
        _ = try await auth.createUser(withEmail: "joe@example.com", password: "secret!")
        try await auth.currentUser?.sendEmailVerification()
        let link = try await server.mail(to: "joe@example.com").oobLink.absoluteString
        let origin = "http://\(server.address)"
        #expect(link.hasPrefix("\(origin)/emulator/action?"))
        #expect(try await server.send(.get, String(link.dropFirst(origin.count))).status == 200)
        try await auth.currentUser?.reload()
        #expect(auth.currentUser?.isEmailVerified == true)
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
          uid = try await Auth.auth(app: app).createUser(withEmail: "joe@example.com", password: "secret!")
            .user
            .uid
        }
      }
      try await withServedBackend(directory: directory) { server in
        try await server.withApp { app in
          let user = try await Auth.auth(app: app).signIn(withEmail: "joe@example.com", password: "secret!")
            .user
          #expect(user.uid == uid)
        }
      }
    }
  }
}
