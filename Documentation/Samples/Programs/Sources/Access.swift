import Foundation
import TenonEmbedded
import TenonRules

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
