import Foundation
import Observation
import TenonAppCheckInterop
import TenonAuth
import TenonAuthInterop
import TenonCore
import TenonStoreInterop
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

let appCheck = FakeAppCheck()
let transport = FakeTransport { _ in HTTPResponse(status: 200) }
let (here, nowhere) = (URL(string: "https://example.com/here")!, URL(string: "https://example.com/nowhere")!)
let request = HTTPRequest(.get, here)

enum GreetingLibrary: Library {
  static let name = "greeting"
  static let version = SemanticVersion(1, 0, 0)
  static let components: [AnyComponent] = []
}
let container = try! ComponentContainer {}

@MainActor @Observable final class Note { var (title, rating) = ("Tea", 4) }
@MainActor let note = Note()

let remote = FakeStoreRemote()
let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "notes")
let write = DocumentWrite(ResourcePath(segments: ["notes", "tea"]), .set([:]))
