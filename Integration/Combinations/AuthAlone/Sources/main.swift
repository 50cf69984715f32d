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
  _ = try await auth.currentUser?.getIDToken(forcingRefresh: true)
}

let email = "ada-\(UInt64.random(in: 0...UInt64.max))@example.com"
var report = try await AuthFeatures.tried(in: app, email: email, password: "the secret of ada")
report.facts["kept"] = kept?.uid ?? "nobody"
try report.print()
await app.delete()
