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

/// Returns a provider that gets its tokens from `tenon-server`, for which the App Check library has no option.
@Sendable func attestation(_ options: AppOptions) -> [any ComponentSource] {
  struct Answer: Decodable { let token: String }
  let provider = CustomAppCheckProvider { _ in
    guard case .emulator(let hosts) = options.backend, let address = hosts.firestore else {
      throw AppCheckError(.providerFailed, "There is no server.")
    }
    let path =
      "/firebaseappcheck.googleapis.com/v1/projects/\(options.projectID ?? "")/apps/\(options.appID ?? "")"
    let answer = try Launch.answer(
      of: address, to: "\(path):exchangeDebugToken?key=any", #"{"debug_token": "debug"}"#)
    let token = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).token
    return AppCheckToken(token: token, expirationDate: .now + 3_600)
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
