import Foundation
import TenonAuth
import TenonCore

#if canImport(SwiftUI)
  import SwiftUI
#endif

let auth = try! Auth.auth()
let (email, password) = ("ada@example.com", "correct horse")
let user = auth.currentUser!
let (token, nonce, code) = ("token", "nonce", "123456")
func show(_ message: String) {}
struct SignIn: View { var body: some View { Text("") } }

struct VaultSessionStore: SessionStore {
  let location = "vault"
  func load() throws -> Data? { nil }
  func update(_ change: (Data?) throws -> Data?) throws {}
  func setAside() throws {}
}
