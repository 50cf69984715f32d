package import IntegrationReport
import TenonAuth
package import TenonCore
import TenonEmbedded

/// What Auth does on the embedded backend, tried out in the same way in every combination of products.
package enum AuthFeatures {
  /// Signs a new user up and in, and returns what worked. The user stays signed in.
  package static func tried(in app: App, email: String, password: String) async throws -> IntegrationReport {
    let auth = try Auth.auth(app: app)
    let user = try await auth.createUser(withEmail: email, password: password).user
    let renewed = try await user.getIDToken(forcingRefresh: true)
    let isSignedIn = auth.currentUser?.uid == user.uid && user.email == email
    let wrong = try await attempt { try await auth.signIn(withEmail: email, password: "not " + password) }
    try await user.reload()
    let present = auth.currentUser?.uid

    try Embedded.embedded(app: app).settings.appCheckRequired = [.auth]
    let enforced = try await attempt { try await auth.signIn(withEmail: email, password: password) }
    return IntegrationReport(
      graph: app.graph,
      features: [
        .init("Sign-up with a password", isSignedIn ? "signs the user in" : "signs nobody in"),
        .init("Renewal of the ID token", renewed.isEmpty ? "no token" : "a token"),
        .init("Sign-in with a wrong password", wrong),
        .init("Where App Check is enforced", enforced),
      ],
      facts: ["userID": user.uid, "present": present ?? "nobody"])
  }

  /// Makes a request, and returns whether the backend accepted it.
  private static func attempt<Result>(_ request: () async throws -> Result) async throws -> String {
    do {
      _ = try await request()
      return "accepted"
    } catch let error as AuthError {
      return "rejected (`\(error.code.rawValue)`)"
    }
  }
}
