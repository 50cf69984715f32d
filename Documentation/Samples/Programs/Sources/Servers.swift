// sample: admit
import TenonAdmin
import TenonAuth
import TenonCore
import TenonEmbedded
// sample: end
// sample: past
import TenonStorage
import TenonStore

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

func manageUsers() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  // sample: manage
  let admin = try Admin.admin()
  let ada = try await admin.createUser(UserRequest(email: "ada@example.com", password: "correct horse"))
  try await admin.setCustomUserClaims(["role": "editor"], forUID: ada.uid)
  try await admin.updateUser(withUID: ada.uid, UserUpdate(displayName: "Ada", clearing: [.photoURL]))
  for try await user in admin.listUsers() {
    print(user.email ?? "no address", user.customClaims["role"] as? String ?? "no role")
  }
  // sample: end
}

func actAsAdministrator() async throws {
  try App.configure(
    options: AppOptions(
      projectID: "demo", storageBucket: "demo.appspot.com", backend: .embedded(directory: nil), data: .memory)
  )
  // sample: past
  let store = try Store.store(as: .admin)
  try await store.document("plans/2027").setData(["title": "Not public yet"]).confirmed()
  let photos = try Storage.storage(as: .admin).reference(withPath: "photos")
  print(
    try await store.collection("plans").getDocuments(source: .server).count, try await photos.listAll().items)
  // sample: end
}
