import TenonFoundation
import TenonTesting

#if os(Linux)
  import Foundation
  import TenonCore
  import TenonTestSupport
  import TenonTransport
  import TenonTransportInterop
  import Testing

  @testable import TenonAppCheck
  @testable import TenonAuth

  /// Random damage to everything that the products read from outside: responses, JSON, tokens and stored
  /// sessions. Each input must be accepted or end in a typed error.
  ///
  /// `TENON_FUZZ_SECONDS` sets the duration of each test, for example 36000 for a night, and
  /// `TENON_FUZZ_SEED` repeats a run: the seed is printed first, and the inputs depend only on it. An input
  /// that has no typed error is printed in Base64.
  @Suite(.limited) struct ProductFuzzTests {
    /// Runs a body with its own inputs until the time is over.
    ///
    /// - Parameters:
    ///   - name: the name, for messages.
    ///   - salt: distinguishes the inputs of this test from those of others.
    ///   - body: receives the number of the step, and returns what is wrong with an input, and the input;
    ///     `nil` if nothing is.
    private func fuzz(
      _ name: String, salt: UInt64, _ body: (inout Mutator, Int) async throws -> (String, Data)?
    ) async throws {
      print("ProductFuzzTests: \(name), TENON_FUZZ_SEED=\(FuzzSettings.seed)")
      var mutator = Mutator(seed: FuzzSettings.seed &+ salt)
      let end = ContinuousClock.now + FuzzSettings.duration
      var step = 0
      while ContinuousClock.now < end {
        if let (problem, input) = try await body(&mutator, step) {
          Issue.record(
            "\(name), seed \(FuzzSettings.seed), step \(step): \(problem)\n\(input.base64EncodedString())")
          return
        }
        step += 1
      }
      print("ProductFuzzTests: \(name), \(step) inputs")
      #expect(step > 0)
    }

    @Test(arguments: HostileOperation.allCases)
    func everyResponseIsAResultOrATypedError(of operation: HostileOperation) async throws {
      let app = try await HostileApp(operation, SystemTransport())
      defer { app.close() }
      app.backend.begin()
      _ = try await app.run()
      let valid = app.backend.responses.map(\.sized) + app.backend.responses.map(\.chunked)
      let salt = UInt64(HostileOperation.allCases.firstIndex(of: operation) ?? 0) + 100
      try await fuzz("\(operation)", salt: salt) { mutator, _ in
        let seed = mutator.random.next()
        let (isBody, form) = (mutator.one(in: 2), mutator.index(3))
        let input = Lock(Data())
        let misbehavior = Misbehavior.sends("fuzz", .correct) { response in
          var mutator = Mutator(seed: seed)
          var response = response
          if isBody { response.body = mutator.mutated(response.body, with: valid) }
          let bytes = [response.sized, response.chunked, response.head("") + response.body][form]
          let sent = isBody ? bytes : mutator.mutated(bytes, with: valid)
          input.withLock { $0 = sent }
          return sent
        }
        app.server.play(misbehavior, after: mutator.index(operation.steps))
        defer { app.server.play(nil) }
        let before = try app.state()
        do { _ = try await app.run() } catch {
          let last = input.withLock { $0 }
          guard operation.isTyped(error) else { return ("\(type(of: error)): \(error)", last) }
          let after = try app.state()
          let isOver = (error as? AuthError)?.endsSession == true
          guard after == before || isOver else { return ("\(error), but the state has changed", last) }
        }
        app.server.play(nil)
        // A response can sign the user out or change the profile.
        if operation.isOnUser { try await app.signInAgain() }
        return nil
      }
    }

    /// Texts that the mutations begin with.
    private static let documents: [Data] =
      [
        #"{"a": [1, -2.5e3, true, false, null, "\u00e9\n\\", {"b": {}}], "c": ""}"#, "[]", "0", "\"text\"",
        #"{"idToken": "\#(HostileBackend.token)", "refreshToken": "again", "expiresIn": "3600"}"#,
        #"{"users": [{"localId": "a", "createdAt": "1700000000000", "providerUserInfo": [{"providerId": "p"}]}]}"#,
      ].map { Data($0.utf8) }

    @Test func everyTextIsJSONOrATypedError() async throws {
      try await fuzz("JSON", salt: 1) { mutator, _ in
        let input = mutator.mutated(
          Self.documents[mutator.index(Self.documents.count)], with: Self.documents)
        do {
          // A number beyond 64 bits is rounded, and may then be written as an integer.
          let text = try JSON(parsing: try JSON(parsing: input).serialized).serialized
          guard try JSON(parsing: text).serialized == text else { return ("another text", input) }
        } catch is JSONError {} catch { return ("\(error)", input) }
        return nil
      }
    }

    @Test func everyTokenIsReadOrRefused() async throws {
      let claims = Data(
        #"{"sub": "ada", "iat": 1700000000, "exp": 4000000000, "auth_time": 1.5, "firebase": {"sign_in_provider": "x"}}"#
          .utf8)
      let whole = Data(HostileBackend.token.utf8)
      try await fuzz("tokens", salt: 2) { mutator, _ in
        var input = whole
        // Damage to the claims would hardly ever be valid Base64.
        if mutator.one(in: 2) {
          let (claims, header) = (mutator.mutated(claims), mutator.mutated(Data(#"{"alg": "RS256"}"#.utf8)))
          input = Data(
            HostileBackend.jwt(
              String(decoding: claims, as: UTF8.self),
              header: mutator.one(in: 4) ? String(decoding: header, as: UTF8.self) : #"{"alg": "RS256"}"#
            ).utf8)
        }
        if mutator.one(in: 2) { input = mutator.mutated(input) }
        let text = String(decoding: input, as: UTF8.self)
        _ = IDTokenClaims(text)
        _ = IDTokenClaims.payload(of: text)
        _ = TokenRules.isUnsigned(text)
        do { _ = try AuthTokenResult(text) } catch let error as AuthError {
          guard error.code == .malformedJWT else { return ("\(error)", input) }
        }
        return nil
      }
    }

    @Test func everyStoredSessionIsReadOrReported() async throws {
      try await withTemporaryDirectory { directory in
        let app = try await HostileApp(.reload, SystemTransport())
        defer { app.close() }
        let valid = try app.sessionContent()
        let file = directory.appending(path: "session.json")
        try await fuzz("sessions", salt: 3) { mutator, _ in
          let input = mutator.mutated(valid, with: Self.documents)
          try input.write(to: file)
          let record = SessionRecord(store: FileSessionStore(directory: directory.path))
          do {
            guard let session = try record.load() else { return ("no session", input) }
            // What has been read can be stored and read again.
            guard case .session(session, _) = SessionFormat.decode(try SessionFormat.encode(session)) else {
              return ("another session", input)
            }
            _ = session.tokens.isFresh(at: .now)
            _ = "\(session)"
          } catch let error as AuthError {
            guard [.sessionUnreadable, .sessionDamaged].contains(error.code) else {
              return ("\(error)", input)
            }
            try record.setAside()
            guard try record.load() == nil else { return ("it wasn't set aside", input) }
          }
          return nil
        }
      }
    }

    @Test func everyStoredAppCheckTokenIsReadOrReported() async throws {
      try await withTemporaryDirectory { directory in
        let store = FileTokenStore(directory: directory.path)
        let now = Date()
        try store.save(
          KeptToken(
            source: "production", value: Secret(HostileBackend.token), received: now, expires: now + 3_600))
        let file = directory.appending(path: "token.json")
        let valid = try Data(contentsOf: file)
        try await fuzz("App Check tokens", salt: 4) { mutator, _ in
          let input = mutator.mutated(valid, with: Self.documents)
          try input.write(to: file)
          do {
            guard let kept = try store.load() else { return ("no token", input) }
            _ = kept.isFresh(at: now)
            _ = kept.isAlive(at: now)
            guard kept.refreshDelay(at: now) >= 60 else { return ("a refresh without delay", input) }
          } catch let error as AppCheckError {
            guard error.code == .cacheUnreadable else { return ("\(error)", input) }
            try store.setAside()
          }
          return nil
        }
      }
    }
  }
#endif
