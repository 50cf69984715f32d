import Foundation
import TenonFoundation

struct User { var id = "ann", name: String? }
let user = User()
func fetchToken() async throws -> String { "token" }
