// Functions with Auth and App Check, which it finds because all are linked: calls carry both tokens.
import FunctionsFeatures
import IntegrationReport
import TenonAppCheck
import TenonAuth
import TenonCore

let app = try Launch.app(
  AppOptions(projectID: "demo-functions", appID: "1:42:web:a1", backend: .embedded(directory: nil)))
let session = UserSession(
  signIn: { try await Auth.auth().signInAnonymously().user.uid }, signOut: { try await Auth.auth().signOut() }
)
try await FunctionsFeatures.tried(in: app, session: session).print()
await app.delete()
