import Foundation
import TenonRules
import TenonStoreInterop
import TenonTesting
import TenonValues
import Testing

let rules = try! SecurityRules(source: "service cloud.firestore { match /databases/{d}/documents {} }")
let documents: [String: Fields] = ["notes/n": ["owner": "ann"]]
let increment = FieldTransform(FieldPath(["likes"]), .increment(1))
