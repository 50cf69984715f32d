import Foundation
import TenonAuth
import TenonCore
import TenonEmbedded
import TenonRules

let embedded = try! Embedded.embedded()
let documents = embedded.documents()
