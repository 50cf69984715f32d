// Auth with App Check, which finds it by linking alone: signing in works where App Check is enforced, and is
// rejected without App Check.
import AuthFeatures
import IntegrationReport
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded

let options = AppOptions(projectID: "demo-auth", appID: "1:42:web:a1", backend: .embedded(directory: nil))
let app = try Launch.app(options)
var report = try await AuthFeatures.tried(in: app, email: "ada@example.com", password: "lovelace")
let token = try await AppCheck.appCheck().token()
let renewed = try await AppCheck.appCheck().token(forcingRefresh: true)
report.facts["isRenewed"] = "\(token.token != renewed.token)"

// An app that doesn't activate App Check behaves like one that doesn't link it.
var without = options
without.libraries = ["tenon-auth", "tenon-embedded"]
let other = try App.configure(name: "without", options: without)
try Embedded.embedded(app: other).settings.appCheckRequired = [.auth]
do { _ = try await Auth.auth(app: other).signInAnonymously() } catch let error as AuthError {
  report.facts["refusal"] = error.code.rawValue
}

try report.print()
await other.delete()
await app.delete()
