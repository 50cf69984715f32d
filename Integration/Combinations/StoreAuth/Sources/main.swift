// Store with Auth, which it finds by linking alone: Store has the current user.
import IntegrationReport
import StoreFeatures
import TenonAuth
import TenonCore
import TenonEmbedded

try await Launch.withTemporaryDirectory { directory in
  let app = try Launch.app(
    AppOptions(projectID: "demo-store", backend: .embedded(directory: directory)))
  let session = UserSession(
    signIn: { try await Auth.auth().signInAnonymously().user.uid },
    signOut: { try await Auth.auth().signOut() })
  let report = try await StoreFeatures.tried(in: app, session: session) {
    try Embedded.embedded().settings.appCheckRequired = [.auth]
  }
  try report.print()
  await app.delete()
}
