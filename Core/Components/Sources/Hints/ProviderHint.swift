/// Says which library would provide an interface that nothing provides.
enum ProviderHint {
  /// All protocols of an interop module are implemented by the product that it is named after: `TenonAuth` provides
  /// what `TenonAuthInterop` declares.
  static func texts(for key: ComponentKey) -> [String] {
    if let product = Features.unregisteredProduct(of: key) {
      return ["\(product), which provides it, is linked, but its library has not registered."]
        + Features.registrationRepairs(list: "\(product).…Library.self")
    }
    return [text(for: key, product: key.interopProduct)]
  }

  /// - Parameter product: the module that implements the interop of the key; `nil` when it isn't of an interop.
  static func text(for key: ComponentKey, product: String?) -> String {
    if let product {
      return "Link the library \(product), which provides it, or pass it to App.configure(libraries:)."
    }
    return "Add \(key.declaration) to a library or to the container."
  }
}

extension Features {
  static func hints(among known: some Sequence<ComponentKey>) -> (ComponentKey) -> [String] {
    let near = NearMisses(known)
    return { near.hints(for: $0) + ProviderHint.texts(for: $0) }
  }

  static func names(near name: String, among known: some Sequence<String>) -> [String] {
    NearMisses.names(near: name, among: known)
  }
}
