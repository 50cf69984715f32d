import Foundation
import TenonAdmin
import TenonCore

let admin = try! Admin.admin()
let token = "token"
func refuse(_ reason: String) {}
func answerLater() {}
let (hash, salt) = (Data([1]), Data([2]))
