// Functions with Auth and App Check, which it finds by linking alone: the call carries both tokens.
import IntegrationReport
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonFunctions

let app = try App.configure(
  options: AppOptions(projectID: "demo-functions", appID: "1:42:web:a1", backend: .embedded(directory: nil))
)
let embedded = try Embedded.embedded()
embedded.onCall("greet") { (request: CallableRequest<String>) in
  "\(request.data) from \(request.auth?.uid ?? "nobody") in \(request.app?.appID ?? "no app")"
}

let functions = try Functions.functions()
let user = try await Auth.auth().signInAnonymously().user
let free = try await functions.call("greet", "hello", returning: String.self)
embedded.settings.appCheckRequired = [.auth, .functions]
let enforced = try await functions.call("greet", "hello", returning: String.self)
let limited = try await functions.call(
  "greet", "hello", returning: String.self, limitedUseAppCheckToken: true)

let facts = ["userID": user.uid, "free": free, "enforced": enforced, "limited": limited]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
