import Foundation
import TenonAppCheckInterop
import TenonAuth
import TenonAuthInterop
import TenonCore
import TenonRules
import TenonStore
import TenonStoreInterop
import TenonTesting
import TenonTransport
import TenonTransportInterop
import TenonValues
import Testing

let appCheck = FakeAppCheck()
let admin = FakeAdmin()
let transport = FakeTransport { _ in TransportResponse(status: 200) }
let (here, nowhere) = (URL(string: "https://example.com/here")!, URL(string: "https://example.com/nowhere")!)

enum GreetingLibrary: Library {
  static let name = "greeting"
  static let version = SemanticVersion(1, 0, 0)
  static let components: [AnyComponent] = []
}
let container = try! ComponentContainer {}

let remote = FakeStoreRemote()
let query = StructuredQuery(parent: ResourcePath(segments: []), collectionID: "notes")
let write = DocumentWrite(ResourcePath(segments: ["notes", "tea"]), .set([:]))
