// Functions with Auth and App Check, which it finds because all are linked: the call carries both tokens.
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

let greet = try Functions.functions().httpsCallable("greet", requestAs: String.self, responseAs: String.self)
let user = try await Auth.auth().signInAnonymously().user
let free = try await greet("hello")
embedded.settings.appCheckRequired = [.auth, .functions]
let enforced = try await greet("hello")
let limited = try await Functions.functions().httpsCallable(
  "greet", options: HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true)
).call("hello").data(as: String.self)

let facts = ["userID": user.uid, "free": free, "enforced": enforced, "limited": limited]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
