// Functions with Auth, which it finds because both are linked: calls carry the user's token.
import FunctionsFeatures
import IntegrationReport
import TenonAuth
import TenonCore

let app = try Launch.app(
  AppOptions(projectID: "demo-functions", backend: .embedded(directory: nil)))
let session = UserSession(
  signIn: { try await Auth.auth().signInAnonymously().user.uid }, signOut: { try await Auth.auth().signOut() }
)
try await FunctionsFeatures.tried(in: app, session: session).print()
await app.delete()
