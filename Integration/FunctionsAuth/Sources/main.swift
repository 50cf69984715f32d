// Functions with Auth, which finds it because both are linked: the call carries the user's token.
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

let greet = try Functions.functions().httpsCallable("greet", requestAs: String.self, responseAs: String.self)
let before = try await greet("hello")
let user = try await Auth.auth().signInAnonymously().user
let during = try await greet("hello")
try await Auth.auth().signOut()
let after = try await greet("hello")

let facts = ["userID": user.uid, "before": before, "during": during, "after": after]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
