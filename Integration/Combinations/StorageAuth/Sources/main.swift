// Storage with Auth, which it finds because both are linked: requests carry the user's token.
import IntegrationReport
import StorageFeatures
import TenonAuth
import TenonCore

let app = try Launch.app(
  AppOptions(projectID: "demo-storage", storageBucket: "demo.appspot.com", backend: .embedded(directory: nil))
)
let session = UserSession(
  signIn: { try await Auth.auth().signInAnonymously().user.uid }, signOut: { try await Auth.auth().signOut() }
)
try await StorageFeatures.tried(in: app, session: session).print()
await app.delete()
