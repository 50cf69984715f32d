// Auth without App Check, on accounts of the embedded backend. With a directory as the first argument,
// everything is stored there, and several processes may use it at the same time. A number as the second
// argument makes the process sign out and in that many times, and print each round.
import AuthFeatures
import IntegrationReport
import TenonAuth
import TenonCore

let arguments = CommandLine.arguments.dropFirst()
let app = try Launch.app(
  AppOptions(projectID: "demo-auth", backend: .embedded(directory: arguments.first)))
let auth = try Auth.auth()
let kept = auth.currentUser
for round in 0..<(arguments.dropFirst().first.flatMap { Int($0) } ?? 0) {
  Launch.note("round \(round)")
  try await auth.signOut()
  try await auth.signInAnonymously()
  // Another process with this session may sign out in between, which this one notices.
  do { _ = try await auth.currentUser?.getIDToken(forcingRefresh: true) } catch let error as AuthError
    where error.code == .userSignedOut
  {}
}

/// Tries Auth out, again if another process signs out in between, which ends after its last round.
@MainActor func tried() async throws -> IntegrationReport {
  var attempts = 0
  while true {
    attempts += 1
    let email = "ada-\(UInt64.random(in: 0...UInt64.max))@example.com"
    do {
      return try await AuthFeatures.tried(in: app, email: email, password: "the secret of ada")
    } catch let error as AuthError where error.code == .userSignedOut && attempts < 20 {
      Launch.note("signed out by another process")
    }
  }
}

var report = try await tried()
report.facts["kept"] = kept?.uid ?? "nobody"
try report.print()
await app.delete()
