import Shop
import ShopInterop
import TenonCore

struct Customer: Sendable {
  let shop: (any Shopping)?
}

struct Customers: ComponentSource {
  var components: [AnyComponent] {
    Component(Customer.self, needs: .optional((any Shopping).self)) { Customer(shop: $1) }.scope(.unique)
  }
}

// Depends on the shop's interface, and uses the shop later.
@main enum Program {
  static func main() throws {
    let app = try App.configure(
      options: AppOptions(projectID: "archives", apiKey: "key", data: .memory), sources: [Customers()])
    print(app.graph)
    print("customer:", try app.resolve(Customer.self).shop?.buy() ?? "no shop")
    if CommandLine.arguments.contains("--type") {
      print("shop:", try app.resolveIfPresent(Shop.self)?.buy() ?? "nil")
      do { _ = try app.resolve(Shop.self) } catch { print(error) }
    }
    if CommandLine.arguments.contains("--shop") {
      print("shop:", try Shop.shop().buy())
      print("customer:", try app.resolve(Customer.self).shop?.buy() ?? "no shop")
    }
    if CommandLine.arguments.contains("--required") {
      do {
        try app.container.update {
          $0.install { Component(String.self, needs: .required((any Shopping).self)) { $1.buy() } }
        }
      } catch { print(error) }
    }
    // The log is written on another thread.
    if CommandLine.arguments.contains("--wait") { _ = readLine() }
  }
}
