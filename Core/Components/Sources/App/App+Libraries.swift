extension App {
  /// Returns the app's instance of a type from a library that the caller names: the entry point of a product.
  ///
  /// ```swift
  /// extension Shop {
  ///   public static func shop(app: App? = nil) throws -> Shop {
  ///     try (app ?? App.default).resolve(Shop.self, from: ShopLibrary.self)
  ///   }
  /// }
  /// ```
  ///
  /// Naming the library links its registration along with the entry point, if both are declared as
  /// ``Library`` describes. If the linker still drops the registration, this registers the library, lets the
  /// app adopt it, and logs a warning, because everything that was created before was created without it
  /// (R13).
  ///
  /// - Parameters:
  ///   - type: the type that the component provides.
  ///   - name: the component's name; `nil` for the component without one.
  ///   - library: the library that provides it.
  /// - Throws: ``ComponentError`` as ``resolve(_:named:)``, and with the code
  ///   ``ComponentError/Code/notRegistered`` if the app was configured without the library and can't adopt
  ///   it.
  public func resolve<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    from library: any Library.Type
  ) throws -> Value {
    let key = ComponentKey(type, named: name)
    do {
      return try container.resolve(type, named: name)
    } catch let error as ComponentError where error.isMissing(key) {
      guard try adopt(library, for: key) else { throw error }
      return try container.resolve(type, named: name)
    }
  }
}
