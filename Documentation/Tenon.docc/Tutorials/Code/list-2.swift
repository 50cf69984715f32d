import SwiftUI
import TenonStore

struct Note: Codable {
  var title: String
}

struct NoteList: View {
  @State var notes: LiveQuery<Note>

  init(store: Store) {
    _notes = State(wrappedValue: LiveQuery(store.collection("notes").order(by: "title")))
  }

  var body: some View {
    ForEach(notes.documents) { note in
      Text(note.value?.title ?? "…")
    }
  }
}
