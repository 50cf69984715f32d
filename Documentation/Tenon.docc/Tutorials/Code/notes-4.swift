import TenonAuth
import TenonCore
import TenonEmbedded
import TenonStore

struct Note: Codable {
  var title: String
  var stars: Int
}

@main struct Notes {
  static func main() async throws {
    try App.configure(options: AppOptions(projectID: "notes", backend: .embedded(directory: nil)))
    let user = try await Auth.auth().signInAnonymously().user
    let notes = try Store.store().collection("users/\(user.uid)/notes", of: Note.self)

    let write = try await notes.document("tea").setData(Note(title: "Green tea", stars: 5))
    try await write.confirmed()

    let best = notes.whereField(\.stars, isGreaterThan: 3)
    for note in try await best.getDocuments().data() { print(note.title) }
  }
}
