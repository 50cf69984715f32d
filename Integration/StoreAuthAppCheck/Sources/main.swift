// Store with Auth and App Check: Auth signs in where App Check is enforced. Store has the current user, and
// needs no App Check while its documents are on this device.
import IntegrationReport
import TenonAppCheck
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonStore

let app = try App.configure(
  options: AppOptions(projectID: "demo-store", appID: "1:42:web:a1", backend: .embedded(directory: nil)))
try Embedded.embedded().settings.appCheckRequired = [.auth]
let store = try Store.store()
let user = try await Auth.auth().signInAnonymously().user

let note = try await store.collection("notes").addDocument(data: [
  "title": "mine", "owner": try await store.currentUserID ?? "nobody",
])
let owner = try await note.getDocument()["owner"]?.stringValue

let facts = ["userID": user.uid, "owner": owner ?? "nobody"]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
