import Foundation
import Observation
import TenonCore
import TenonStore
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif

let app = try! App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
let store = try! Store.store(app: app)
let notes = store.collection("notes")
let orders = store.collection("orders", of: Order.self)
let (page, item) = (notes.document("tea"), notes.document("cup"))
let query = notes.order(by: "title")

let (title, rating, name) = ("Tea", 5, "ann")
let embedding = [0.25, 0.5]
let (bytes, file, lastYear) = (Data(), URL(filePath: "/tmp/file"), Date())

let tea = DocumentSnapshot(fields: ["title": "Tea"], path: "notes/tea")
let coffee = DocumentSnapshot(fields: ["title": "Coffee"], path: "notes/coffee")
let cocoa = DocumentSnapshot(fields: ["title": "Cocoa"], path: "notes/cocoa")
let (document, snapshot) = (tea, QuerySnapshot([tea, coffee]))

struct Author: Codable { var name: String }
struct Note: Codable {
  var title: String
  var rating: Int
  var author: Author
}
struct Order: Codable { var price: Double }
struct Money { var (amount, currency) = (1, "EUR") }
struct SoldOut: Error {}

struct NoteRow {
  let title: String
  init(_ note: DocumentSnapshot) { title = note["title"] as? String ?? "" }
}
struct Row: View {
  let note: LiveDocument<Note>
  var body: some View { Text(note.value?.title ?? "") }
}
func show(_ message: String) {}

/// Where an app keeps its secrets.
struct Keychain {
  func bytes(_ name: String) async throws -> [UInt8] { [] }
  func set(_ name: String, _ bytes: [UInt8]) async throws {}
}
let keychain = Keychain()
