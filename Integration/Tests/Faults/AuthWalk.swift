import Foundation
import TenonAuth
import TenonCore
import TenonTesting

/// One installation of an app on an unreliable network: operations in any order, including those that can't
/// succeed, each with faults at any of its requests, and relaunches in between.
struct AuthWalk: Sendable {
  let seed: UInt64
  let length = 12

  func run(_ backend: BackendServer) async throws {
    let app = try FaultyApp(backend: backend, seed: seed)
    defer { app.remove() }
    var random = SeededGenerator(seed: seed)
    let people = ["ann", "bob"].map { AuthOperation.Person(name: "\($0)-\(seed)") }
    var auth = try app.launch(isImpatient: true).auth
    for step in 0..<length {
      guard let operation = AuthOperation.allCases.randomElement(using: &random),
        let person = people.randomElement(using: &random)
      else { continue }
      if Bool.random(using: &random) { try app.forgetAppCheckToken() }
      let outcome = try await AuthOutcome(
        of: operation, auth, person, through: app.proxy,
        description: "walk \(seed), step \(step), \(operation)"
      ) { _, random in
        Int.random(in: 0..<10, using: &random) < 4 ? Fault.allCases.randomElement(using: &random) : nil
      }
      _ = try await outcome.check(auth, of: app, person, backend)
      auth = try app.launch(isImpatient: true).auth
    }
  }
}
