import Foundation
import TenonCore
import TenonFunctions

/// Functions of another region, at an address, with a time limit.
func region(app: App) throws {
  let functions = try Functions.functions(region: "europe-west1")
  _ = try Functions.functions(app: app)
  _ = try Functions.functions(app: app, region: "europe-west1")
  _ = try Functions.functions(customDomain: "https://harbour.example")
  let callable = functions.httpsCallable("slow")
  // expect: cannot assign value of type 'Int' to type 'Duration'
  callable.timeoutInterval = 120
  _ = functions.httpsCallable("slow", options: HTTPSCallableOptions(requireLimitedUseAppCheckTokens: true))
  _ = functions.httpsCallable(URL(string: "https://harbour.example/slow")!)
}
