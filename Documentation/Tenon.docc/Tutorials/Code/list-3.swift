import SwiftUI
import TenonStore

struct Note: Codable {
  var title: String
}

struct NoteList: View {
  let store: Store
  @State var notes: LiveQuery<Note>

  init(store: Store) {
    self.store = store
    _notes = State(wrappedValue: LiveQuery(store.collection("notes").order(by: "title")))
  }

  var body: some View {
    if notes.isLoading { Text("Loading") }
    if let error = notes.error { Text("\(error)") }
    ForEach(notes.documents) { note in
      Text(note.value?.title ?? "…")
    }
    Button("Add") {
      Task { try await store.collection("notes").addDocument(data: ["title": "New note"]) }
    }
  }
}
