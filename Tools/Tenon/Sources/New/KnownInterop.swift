/// An interop that a product can need.
struct KnownInterop {
  /// A fake for the tests of a product.
  enum Fake {
    /// A type of TenonTesting.
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

  /// The interops of Tenon that its products implement and that TenonTesting has fakes for.
  static let ofTenon = ["Auth", "AppCheck", "Storage"]

  /// Returns an interop of Tenon, as a package sees it that depends on Tenon.
  static func tenon(_ name: String) -> KnownInterop {
    KnownInterop(
      name: name, module: "Tenon\(name)Interop", interface: "\(name)Interop", isOwn: false, product: name,
      fake: .testing("Fake\(name)"))
  }
}

/// A need of a new product, with the interop that it names.
struct ResolvedNeed {
  let interop: KnownInterop
  let isOptional: Bool

  /// The name of the parameter, for example `auth`.
  var parameter: String { Names.member(interop.name) }
  /// The type of the parameter, for example `(any AuthInterop)?`.
  var type: String { isOptional ? "(any \(interop.interface))?" : "any \(interop.interface)" }
}
