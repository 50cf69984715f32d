import ShopInterop
public import TenonCore

/// The library of the shop.
public enum ShopLibrary: Library {
  /// The name of this library: `shop`.
  public static let name = "shop"
  /// The version of this library.
  public static let version = SemanticVersion(1, 0, 0)

  /// ``Shop``, which others use as `Shopping`.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(Shop.self) { _ in Shop() }.providing((any Shopping).self) { $0 }
  }
}
