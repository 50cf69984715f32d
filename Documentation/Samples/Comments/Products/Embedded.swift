import TenonAuth
import TenonCore
import TenonDocuments
import TenonEmbedded

let embedded = try! Embedded.embedded()
