// Store with Auth and App Check: Auth also signs in where App Check is enforced. Store has the current user,
// and needs no App Check: the embedded backend has none for documents.
import IntegrationReport
import StoreFeatures
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded

try await Launch.withTemporaryDirectory { directory in
  let app = try Launch.app(
    AppOptions(projectID: "demo-store", appID: "1:42:web:a1", backend: .embedded(directory: directory)))
  let session = UserSession(
    signIn: { try await Auth.auth().signInAnonymously().user.uid },
    signOut: { try await Auth.auth().signOut() })
  let report = try await StoreFeatures.tried(in: app, session: session) {
    try Embedded.embedded().settings.appCheckRequired = [.auth]
  }
  try report.print()
  await app.delete()
}
