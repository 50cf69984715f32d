import TenonAuth
import TenonCore
import TenonEmbedded

let embedded = try! Embedded.embedded()
let documents = embedded.documents()
