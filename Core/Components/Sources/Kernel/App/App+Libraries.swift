extension App {
  /// The app's instance of `type`, from a library that is in use by being called: the entry point of a product.
  ///
  /// ```swift
  /// public static func shop(app: App? = nil) throws -> Shop {
  ///   try (app ?? App.default).resolve(Shop.self, from: ShopLibrary.self)
  /// }
  /// ```
  ///
  /// Naming the library here links its registration along with the entry point, if both are declared as ``Library`` says.
  /// Where the linker drops the registration nevertheless, this registers the library and lets the app adopt it, and logs a
  /// warning, because what was created before has done without it (R13).
  ///
  /// - Parameters:
  ///   - type: what the component provides.
  ///   - name: the component's name; `nil` for the one without.
  ///   - library: the library that provides it.
  /// - Throws: ``ComponentError`` as ``resolve(_:named:)``; with ``ComponentError/Code/notRegistered`` when the app was
  ///   configured without the library and can't adopt it.
  public func resolve<Value: Sendable>(
    _ type: Value.Type = Value.self,
    named name: String? = nil,
    from library: any Library.Type
  ) throws -> Value {
    let key = ComponentKey(type, named: name)
    do {
      return try container.resolve(type, named: name)
    } catch let error as ComponentError where error.isMissing(key) {
      guard try Features.adopt(library, into: self, for: key) else { throw error }
      return try container.resolve(type, named: name)
    }
  }
}
