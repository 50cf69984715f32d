// Functions with Auth, which it finds by linking alone: the call carries the user's token.
import IntegrationReport
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions

let app = try App.configure(
  options: AppOptions(projectID: "demo-functions", backend: .embedded(directory: nil))
)
try Embedded.embedded().onCall("greet") { (request: CallableRequest<String>) in
  "\(request.data) from \(request.auth?.uid ?? "nobody")"
}

let functions = try Functions.functions()
let before = try await functions.call("greet", "hello", returning: String.self)
let user = try await Auth.auth().signInAnonymously().user
let during = try await functions.call("greet", "hello", returning: String.self)
try await Auth.auth().signOut()
let after = try await functions.call("greet", "hello", returning: String.self)

let facts = ["userID": user.uid, "before": before, "during": during, "after": after]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
