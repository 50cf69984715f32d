// Auth with App Check, which finds it by linking alone: signing in works where App Check is enforced, and is
// rejected without App Check.
import IntegrationReport
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded

let options = AppOptions(projectID: "demo-auth", appID: "1:42:web:a1", backend: .embedded(directory: nil))
let app = try App.configure(options: options)
try Embedded.embedded().settings.appCheckRequired = [.auth]
let user = try await Auth.auth().createUser(withEmail: "ada@example.com", password: "lovelace").user
let token = try await AppCheck.appCheck().token()
let renewed = try await AppCheck.appCheck().token(forcingRefresh: true)

// An app that doesn't activate App Check behaves like one that doesn't link it.
var without = options
without.libraries = ["tenon-auth", "tenon-embedded"]
let other = try App.configure(named: "without", options: without)
try Embedded.embedded(app: other).settings.appCheckRequired = [.auth]
var refusal = "none"
do { _ = try await Auth.auth(app: other).signInAnonymously() } catch let error as AuthError {
  refusal = error.code.rawValue
}

let facts = [
  "userID": user.uid, "email": user.email ?? "", "isRenewed": "\(token.token != renewed.token)",
  "refusal": refusal,
]
try IntegrationReport(graph: app.graph, facts: facts).print()
await other.delete()
await app.delete()
