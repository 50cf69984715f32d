import IntegrationReport
import StoreFeatures
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded
// Store with StoreSync, Auth, App Check and the embedded backend: a server receives the user's token and the
// app's token.
import TenonFoundation

@Sendable func session(_ app: App) throws -> UserSession {
  let auth = try Auth.auth(app: app)
  return UserSession(
    signIn: { try await auth.signInAnonymously().user.uid }, signOut: { try await auth.signOut() })
}

/// Returns a provider of unsigned tokens, which `tenon-server` accepts.
@Sendable func attestation(_ options: AppOptions) -> [any ComponentSource] {
  let provider = CustomAppCheckProvider { _ in
    let end = Date.now + 3_600
    let claims = """
      {"iss": "https://firebaseappcheck.googleapis.com/42", "aud": ["projects/\(options.projectID ?? "")"], \
      "sub": "\(options.appID ?? "")", "exp": \(Int(end.timeIntervalSince1970)), "jti": "\(UUID())"}
      """
    let parts = [#"{"alg": "none", "typ": "JWT"}"#, claims].map { part in
      Data(part.utf8).base64EncodedString().filter { $0 != "=" }
        .replacing("+", with: "-").replacing("/", with: "_")
    }
    return AppCheckToken(token: "\(parts[0]).\(parts[1]).", expirationDate: end)
  }
  // The embedded backend has its own provider.
  return options.backend.kind == .embedded ? [] : [provider]
}

try await Launch.withTemporaryDirectory { directory in
  let app = try Launch.app(
    AppOptions(projectID: "demo-store", appID: "1:42:web:a1", backend: .embedded(directory: directory)))
  let report = try await StoreFeatures.tried(
    in: app, session: session(app), onServers: ServerUse(session: session, sources: attestation)
  ) {
    try Embedded.embedded().settings.appCheckRequired = [.auth]
  }
  try report.print()
  await app.delete()
}
