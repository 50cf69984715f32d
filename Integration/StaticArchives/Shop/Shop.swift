public import ShopInterop
public import TenonCore

/// A shop.
public final class Shop: Shopping {
  init() {}

  /// Returns the shop of an app.
  public static func shop() throws -> Shop { try App.default.resolve(Shop.self, from: ShopLibrary.self) }

  /// Sells one item.
  public func buy() -> String { "a piece" }
}
