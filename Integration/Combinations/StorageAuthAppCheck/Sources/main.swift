// Storage with Auth and App Check, which it finds because all are linked: requests carry both tokens.
import IntegrationReport
import StorageFeatures
import TenonAppCheck
import TenonAuth
import TenonCore

let app = try Launch.app(
  AppOptions(
    projectID: "demo-storage", appID: "1:42:web:a1", storageBucket: "demo.appspot.com",
    backend: .embedded(directory: nil)))
let session = UserSession(
  signIn: { try await Auth.auth().signInAnonymously().user.uid }, signOut: { try await Auth.auth().signOut() }
)
try await StorageFeatures.tried(in: app, session: session).print()
await app.delete()
