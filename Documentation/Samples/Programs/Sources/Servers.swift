// sample: admit
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded

// sample: end

func admitUsers() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  // sample: admit
  // On the client:
  let token = try await Auth.auth().signInAnonymously().user.getIDToken()
  // On the server, which has received the token:
  let user = try await Admin.admin().verifyIDToken(token)
  print(user.uid, user.signInProvider)
  // sample: end
}
