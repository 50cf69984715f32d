// Functions with App Check, without Auth: calls carry the app's token, but no user's.
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

let greeting = try await Functions.functions().call("greet", "hello", returning: String.self)
try IntegrationReport(graph: app.graph, facts: ["greeting": greeting]).print()
await app.delete()
