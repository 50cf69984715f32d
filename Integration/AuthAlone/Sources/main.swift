// Auth without App Check, on accounts of the embedded backend. With a directory as the first argument, everything is
// stored there, and several processes may use it at the same time. A number as the second argument makes the process sign
// out and in that many times, and print each round.
import Foundation
import IntegrationReport
import TenonAuth
import TenonCore
import TenonEmbedded

let arguments = CommandLine.arguments.dropFirst()
let app = try App.configure(
  options: AppOptions(projectID: "demo-auth", backend: .embedded(directory: arguments.first)))
let auth = try Auth.auth()
let kept = auth.currentUser
for round in 0..<(arguments.dropFirst().first.flatMap { Int($0) } ?? 0) {
  try FileHandle.standardError.write(contentsOf: Data("round \(round)\n".utf8))
  try await auth.signOut()
  try await auth.signInAnonymously()
  _ = try await auth.currentUser?.getIDToken(forcingRefresh: true)
}

let email = "ada-\(UInt64.random(in: 0...UInt64.max))@example.com"
let user = try await auth.createUser(withEmail: email, password: "the secret of ada").user
let isRenewed = try await !user.getIDToken(forcingRefresh: true).isEmpty
var refusal = "none"
do { _ = try await auth.signIn(withEmail: email, password: "the secret of eve") } catch let error as AuthError
{
  refusal = "\(error)"
}

try await user.reload()
let facts = [
  "kept": kept?.uid ?? "nobody", "userID": user.uid, "isRenewed": "\(isRenewed)", "refusal": refusal,
  "present": auth.currentUser?.uid ?? "nobody",
]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
