/// Suggests how to provide a key that nothing provides.
enum ProviderHint {
  /// Returns the suggestions for a key.
  ///
  /// The product of an interop module implements all of its protocols: `TenonAuth` provides what
  /// `TenonAuthInterop` declares. If that product is linked without being registered, the suggestions say so.
  ///
  /// - Parameter key: the key that nothing provides.
  /// - Returns: the suggestions, best first; at least one.
  static func texts(for key: ComponentKey) -> [String] {
    if let product = DroppedRegistration.unregisteredProduct(of: key) {
      return ["\(product), which provides it, is linked, but its library hasn't registered."]
        + DroppedRegistration.repairs(list: "\(product).…Library.self")
    }
    return [text(for: key, product: key.interopProduct)]
  }

  /// Returns the suggestion for a key.
  ///
  /// - Parameters:
  ///   - key: the key that nothing provides.
  ///   - product: the module that implements the key's interop module; `nil` if the type isn't declared in
  ///     one.
  static func text(for key: ComponentKey, product: String?) -> String {
    if let product {
      return "Link the library \(product), which provides it, or pass it to App.configure(libraries:)."
    }
    return "Add \(key.declaration) to a library or to the container."
  }
}
