import Foundation
import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAuth

/// The outcome of an operation of Auth under faults, and the conditions that it must satisfy.
struct AuthOutcome: CustomStringConvertible {
  let operation: AuthOperation
  let faults: [Fault]
  let before: StoredSession?
  let result: Result<UserProfile?, any Error>
  /// The trial, for messages.
  let description: String
  /// Whether the network worked again before the operation ended.
  var recovers = false

  init(
    of operation: AuthOperation, _ auth: Auth, _ person: AuthOperation.Person, through proxy: FaultProxy,
    description: String, plan: @escaping FaultProxy.Plan
  ) async throws {
    self.operation = operation
    before = try await auth.session.current()?.stored
    (result, faults) = await proxy.withFaults(plan) { try await operation.run(auth, person) }
    self.description = "\(description) \(faults)"
  }

  /// Checks the state in memory and on the disk when the app is relaunched, and whether the session can be
  /// used.
  ///
  /// - Returns: Auth of the new launch.
  func check(_ auth: Auth, of app: FaultyApp, _ person: AuthOperation.Person, _ backend: BackendServer)
    async throws -> Auth
  {
    if let error = result.error { expectTyped(error, person) }
    let memory = try await auth.session.current()?.stored
    let next = try app.launch().auth
    let disk = try await next.session.current()?.stored
    #expect(memory == disk, "\(self): the next launch finds what was there")
    try await expectWhole(disk, backend)
    try await expectItGoesOn(next, disk, backend, app)
    let files = try app.sessionFiles
    #expect(files.isSubset(of: ["session.json", "session.json.lock"]), "\(self): \(files)")
    return next
  }

  /// Checks that an error is one of Auth's own, and contains no secrets.
  private func expectTyped(_ error: any Error, _ person: AuthOperation.Person) {
    #expect(error is AuthError, "\(self): \(error)")
    var text = "\(error) \(String(reflecting: error))"
    dump(error, to: &text)
    let secrets = [
      person.password, person.newPassword, before?.tokens.idToken.value, before?.tokens.refreshToken.value,
    ]
    for secret in secrets.compactMap(\.self) { #expect(!text.contains(secret), "\(self): \(error)") }
  }

  /// Checks the session: unchanged if the operation failed, otherwise as the operation specifies.
  private func expectWhole(_ after: StoredSession?, _ backend: BackendServer) async throws {
    switch result {
    case .success(let user):
      if operation.signsOut {
        #expect(after == nil, "\(self): signed out")
      } else if operation.signsIn {
        #expect(after != nil && after?.profile == user, "\(self): signed in")
      } else {
        #expect(after?.profile.uid == before?.profile.uid, "\(self): the same user")
        if let user { #expect(after?.profile == user, "\(self): the user is kept as given") }
      }
      guard operation == .deleteUser, !losesAnswersSilently, let uid = before?.profile.uid else { return }
      let left = try await backend.user(uid)
      #expect(left == nil, "\(self): deleted")
    case .failure(let error):
      guard after?.profile.uid != before?.profile.uid else { return }
      let isOver = (error as? AuthError)?.endsSession == true
      #expect(isOver && after == nil, "\(self): a failure leaves the user: \(error)")
      try await expectJustified(before, backend)
    }
  }

  /// Checks that an existing session works, and matches the backend.
  private func expectItGoesOn(
    _ auth: Auth, _ session: StoredSession?, _ backend: BackendServer, _ app: FaultyApp
  ) async throws {
    guard let session else { return }
    do {
      let user = try #require(auth.currentUser)
      try await user.reload()
      let token = try await user.getIDToken(forcingRefresh: true)
      #expect(user.uid == session.profile.uid && !token.isEmpty, "\(self): it goes on")
      let known = try await backend.user(user.uid)
      #expect(known?["email"]?.string == user.email, "\(self): the address")
      #expect(known?["displayName"]?.string == user.displayName, "\(self): the name")
      let ways = known?["providerUserInfo"]?.array?.compactMap { $0["providerId"]?.string } ?? []
      #expect(Set(ways) == Set(user.providerData.map(\.providerID)), "\(self): the ways to sign in")
    } catch let error as AuthError where error.endsSession {
      let after = auth.currentUser
      let reason = auth.signOutReason
      let disk = try app.launch().auth.currentUser
      #expect(after == nil && disk == nil && reason != nil, "\(self): signed out with the reason")
      try await expectJustified(session, backend)
    }
  }

  /// Checks that a session ended only because of the server: the user was deleted, or the operation ended the
  /// session and the response with the new tokens was lost and couldn't be replaced by signing in with the
  /// password.
  private func expectJustified(_ session: StoredSession?, _ backend: BackendServer) async throws {
    let user = try await backend.user(session?.profile.uid ?? "")
    let isDeleted = user == nil && operation == .deleteUser
    let isLost = result.error != nil || losesAnswersSilently
    let isCutOff =
      operation.endsSessions && isLost
      && !(recovers && operation.provesItself && !isLate && !faults.contains(.duplicatesRequest))
    #expect(isDeleted || isCutOff, "\(self): a lost session, after \(result)")
  }

  /// Whether a response was late without a fault, because this machine is busy.
  var isLate: Bool {
    let failure = (result.error as? AuthError)?.underlying as? TransportError
    return failure?.code == .timedOut && !faults.contains(.delaysTooLong)
  }

  private var losesAnswersSilently: Bool { faults.contains(where: \.losesAnswersSilently) }
}

extension Result {
  var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
