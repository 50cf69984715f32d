import Foundation
import TenonJSON

let (email, password) = ("ada@example.com", String?.none)
let body = AsyncStream<Data> { $0.finish() }
