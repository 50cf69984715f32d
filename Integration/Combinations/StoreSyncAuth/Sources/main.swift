// Store with StoreSync, Auth and the embedded backend: a server receives the user's token, and the embedded
// backend is still synchronized by its own remote.
import IntegrationReport
import StoreFeatures
import TenonAuth
import TenonCore
import TenonEmbedded

@Sendable func session(_ app: App) throws -> UserSession {
  let auth = try Auth.auth(app: app)
  return UserSession(
    signIn: { try await auth.signInAnonymously().user.uid }, signOut: { try await auth.signOut() })
}

try await Launch.withTemporaryDirectory { directory in
  let app = try Launch.app(
    AppOptions(projectID: "demo-store", backend: .embedded(directory: directory)))
  let report = try await StoreFeatures.tried(
    in: app, session: session(app), onServers: ServerUse(session: session)
  ) {
    try Embedded.embedded().settings.appCheckRequired = [.auth]
  }
  try report.print()
  await app.delete()
}
