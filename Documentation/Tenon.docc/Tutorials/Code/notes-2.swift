import TenonAuth
import TenonCore
import TenonEmbedded

@main struct Notes {
  static func main() async throws {
    try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
    let user = try await Auth.auth().signInAnonymously().user
    print("signed in:", user.isAnonymous)
  }
}
