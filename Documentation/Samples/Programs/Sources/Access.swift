import Foundation
import TenonEmbedded
import TenonRules
import TenonStore

func openedCollection(_ embedded: Embedded) {
  // sample: collection
  embedded.onDocumentAccess { access in
    switch access.target {
    case .collection("notes"): access.operation == .list
    case .document(let path): path.hasPrefix("users/\(access.auth?.uid ?? "-")/")
    default: false
    }
  }
  // sample: end
}

func openedGroup(_ embedded: Embedded) {
  // sample: group
  embedded.onCollectionGroupAccess("notes") { access in
    (try? access.auth?.claim("moderator", as: Bool.self)) == true
  }
  // sample: end
}

func rules() throws {
  // sample: rules
  let embedded = try Embedded.embedded()
  embedded.documentSecurityRules = try SecurityRules(contentsOf: URL(filePath: "firestore.rules"))
  embedded.objectSecurityRules = try SecurityRules(contentsOf: URL(filePath: "storage.rules"))
  // sample: end
}

func rulesOnTheDevice() async throws {
  // sample: device
  let rules = try SecurityRules(contentsOf: URL(filePath: "firestore.rules"))
  let store = try Store.store(settings: StoreSettings(rules: .refuse(rules)))
  do {
    try await store.document("notes/tea").delete()
  } catch let error as StoreError where error.code == .permissionDenied {
    print(error.message)  // nothing was queued
  }
  // sample: end
}
