/// An interop that a product can need.
struct KnownInterop {
  /// A fake for the tests of a product.
  enum Fake {
    /// An expression that creates one of TenonTesting.
    case testing(String)
    /// The requirement of the template, which the tests implement themselves.
    case template
    /// The requirements aren't known.
    case none
  }

  /// For example `Auth`.
  let name: String
  /// For example `TenonAuthInterop`.
  let module: String
  /// For example `AuthInterop`.
  let interface: String
  /// Whether the interop is one of this package, rather than of Tenon as a dependency.
  let isOwn: Bool
  /// The product that implements it, for example `Auth`; `nil` if there is none yet.
  let product: String?
  let fake: Fake

  /// Whether several libraries contribute implementations, of which a product receives all.
  var isContributed = false

  /// The interops of Tenon, each with a fake of TenonTesting.
  static let ofTenon = ["Admin", "Auth", "AppCheck", "Observability", "Storage", "Store", "Transport"]

  /// Returns an interop of Tenon, as a package sees it that depends on Tenon.
  static func tenon(_ name: String) -> KnownInterop {
    let (interface, product, fake): (String, String?, String)
    switch name {
    // What has the documents is the remote, which the libraries of the backends contribute.
    case "Store": (interface, product, fake) = ("StoreRemote", "Embedded", "FakeStoreRemote()")
    case "Transport":
      (interface, product) = ("TransportInterop", "Embedded")
      fake = "FakeTransport { _ in throw CancellationError() }"
    // Apps implement it.
    case "Observability": (interface, product, fake) = ("ObservabilityInterop", nil, "FakeObservability()")
    default: (interface, product, fake) = ("\(name)Interop", name, "Fake\(name)()")
    }
    return KnownInterop(
      name: name, module: "Tenon\(name)Interop", interface: interface, isOwn: false, product: product,
      fake: .testing(fake), isContributed: name == "Store")
  }
}

/// A need of a new product, with the interop that it names.
struct ResolvedNeed {
  let interop: KnownInterop
  /// Whether the product works without it. A list of contributions may be empty.
  let isOptional: Bool

  /// The name of the parameter, for example `auth`.
  var parameter: String { Names.member(interop.name) }
  /// The type of the parameter, for example `(any AuthInterop)?`.
  var type: String {
    if interop.isContributed { return "[any \(interop.interface)]" }
    return isOptional ? "(any \(interop.interface))?" : "any \(interop.interface)"
  }
  /// The need in the list of a component, for example `.optional((any AuthInterop).self)`.
  var need: String {
    let kind = interop.isContributed ? "all" : isOptional ? "optional" : "required"
    return ".\(kind)((any \(interop.interface)).self)"
  }
  /// An expression that is true if an implementation is present; `nil` if one always is.
  var presence: String? {
    interop.isContributed ? "!\(parameter).isEmpty" : isOptional ? "\(parameter) != nil" : nil
  }
}
