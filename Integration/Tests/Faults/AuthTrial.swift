import Foundation
import TenonAuth
import TenonCore
import TenonTesting
import Testing

/// One operation of Auth under one kind of fault.
struct AuthTrial: Sendable, CustomStringConvertible {
  /// The requests of the operation that the fault affects.
  enum Reach: CaseIterable { case once, lasting }

  let operation: AuthOperation
  let fault: Fault
  let step: Int
  let reach: Reach
  let seed: UInt64

  var description: String { "\(operation), \(fault) \(reach) from request \(step), seed \(seed)" }

  /// Returns all trials, in an order that the seed determines.
  static func all(seed: UInt64) -> [AuthTrial] {
    var random = SeededGenerator(seed: seed)
    var trials: [AuthTrial] = []
    for operation in AuthOperation.allCases {
      for fault in Fault.allCases {
        for step in 0..<3 {
          for reach in Reach.allCases {
            trials.append(
              AuthTrial(operation: operation, fault: fault, step: step, reach: reach, seed: random.next()))
          }
        }
      }
    }
    return trials.shuffled(using: &random)
  }

  func run(_ backend: BackendServer) async throws {
    let app = try FaultyApp(backend: backend, seed: seed)
    defer { app.remove() }
    let person = AuthOperation.Person(name: "user-\(seed)")
    try await operation.prepare(try app.launch().auth, person)
    // In every other trial, the operation first exchanges an App Check token.
    if seed.isMultiple(of: 2) { try app.forgetAppCheckToken() }
    let auth = try app.launch(isImpatient: true).auth
    var outcome = try await AuthOutcome(
      of: operation, auth, person, through: app.proxy, description: description
    ) { [step, reach, fault] index, _ in
      index == step || (index > step && reach == .lasting) ? fault : nil
    }
    outcome.recovers = reach == .once
    if outcome.faults.isEmpty, !outcome.isLate {
      #expect(outcome.result.error == nil, "\(self) without a fault")
    }
    _ = try await outcome.check(auth, of: app, person, backend)
    try await expectThePersonGetsIn(try app.launch().auth, person)
  }

  /// Checks that the person can sign in afterwards, with the existing account or a new one.
  private func expectThePersonGetsIn(_ auth: Auth, _ person: AuthOperation.Person) async throws {
    try await auth.signOut()
    var user: User?
    for (email, password) in [
      (person.email, person.password), (person.email, person.newPassword), (person.newEmail, person.password),
    ] where user == nil {
      user = try? await auth.signIn(withEmail: email, password: password).user
    }
    if user == nil {
      user = try await auth.createUser(withEmail: person.email, password: person.password).user
    }
    let current = auth.currentUser
    #expect(current != nil && current == user, "\(self): the person gets in")
  }
}
