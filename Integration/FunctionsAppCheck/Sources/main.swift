// Functions with App Check and without Auth: calls carry the app's token and no user's token.
import IntegrationReport
import TenonAppCheck
import TenonCore
import TenonEmbedded
import TenonFunctions

let app = try App.configure(
  options: AppOptions(projectID: "demo-functions", appID: "1:42:web:a1", backend: .embedded(directory: nil))
)
let embedded = try Embedded.embedded()
embedded.settings.appCheckRequired = [.functions]
embedded.onCall("greet") { (request: CallableRequest<String>) in
  "\(request.data) from \(request.auth?.uid ?? "nobody") in \(request.app?.appID ?? "no app")"
}

let greet = try Functions.functions().httpsCallable("greet", requestAs: String.self, responseAs: String.self)
let greeting = try await greet("hello")
try IntegrationReport(graph: app.graph, facts: ["greeting": greeting]).print()
await app.delete()
