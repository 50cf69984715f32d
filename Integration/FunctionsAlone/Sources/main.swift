// Functions without Auth: the same call as in functions-auth, without a user.
import IntegrationReport
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
let greeting = try await greet("hello")
try IntegrationReport(graph: app.graph, facts: ["greeting": greeting]).print()
await app.delete()
