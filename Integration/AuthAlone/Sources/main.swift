// Auth without App Check: accounts of the embedded backend. The first argument is a directory for the data,
// which several processes may use at the same time. The second is a number: how often each process signs out
// and in, which it reports.
import Foundation
import IntegrationReport
import TenonAuth
import TenonCore
import TenonEmbedded

let arguments = CommandLine.arguments.dropFirst()
let app = try App.configure(
  options: AppOptions(projectID: "demo-auth", backend: .embedded(directory: arguments.first)))
let auth = try Auth.auth()
let kept = try await auth.currentUser
for round in 0..<(arguments.dropFirst().first.flatMap { Int($0) } ?? 0) {
  try FileHandle.standardError.write(contentsOf: Data("round \(round)\n".utf8))
  try await auth.signOut()
  try await auth.signInAnonymously()
  _ = try await auth.idToken(forcingRefresh: true)
}

let email = "ada-\(UInt64.random(in: 0...UInt64.max))@example.com"
let user = try await auth.createUser(email: email, password: "the secret of ada").user
let isRenewed = try await auth.idToken(forcingRefresh: true) != nil
var refusal = "none"
do { _ = try await auth.signIn(email: email, password: "the secret of eve") } catch let error as AuthError {
  refusal = "\(error)"
}

let facts = [
  "kept": kept?.uid ?? "nobody", "userID": user.uid, "isRenewed": "\(isRenewed)", "refusal": refusal,
  "present": try await auth.reload().uid,
]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
