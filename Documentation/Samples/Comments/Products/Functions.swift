import Foundation
import TenonCore
import TenonFunctions

let functions = try! Functions.functions()
