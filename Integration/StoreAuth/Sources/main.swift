// Store with Auth, which it finds by linking alone: Store has the current user.
import IntegrationReport
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonStore

let app = try App.configure(options: AppOptions(projectID: "demo-store", backend: .embedded(directory: nil)))
let store = try Store.store()
let before = try await store.currentUserID
let user = try await Auth.auth().signInAnonymously().user

let note = try await store.collection("notes").addDocument(data: [
  "title": "mine", "owner": try await store.currentUserID ?? "nobody",
])
let owner = try await note.getDocument()["owner"]?.stringValue

let facts = ["userID": user.uid, "before": before ?? "nobody", "owner": owner ?? "nobody"]
try IntegrationReport(graph: app.graph, facts: facts).print()
await app.delete()
