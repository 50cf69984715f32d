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
      guard try adopt(library, for: key) else { throw error }
      return try container.resolve(type, named: name)
    }
  }

  /// Registers a library that is in use, and lets the app adopt it.
  ///
  /// - Returns: whether it was adopted; `false` when the app had it before.
  /// - Throws: ``ComponentError`` that says why it can't be adopted.
  private func adopt(_ library: any Library.Type, for key: ComponentKey) throws -> Bool {
    guard !graph.libraries.contains(where: { $0.name == library.name }) else { return false }
    let typeName = ComponentKey(library).typeName
    guard let adoption = container.adoption else {
      throw ComponentError.notListed(key, library: library.name, typeName: typeName, app: name)
    }
    guard options.libraries?.contains(library.name) ?? true else {
      throw ComponentError.notActivated(key, library: library.name, app: name)
    }
    let wasDropped = LibraryRegistry.register(adding: library)
    let repairs = DroppedRegistration.repairs(list: "\(typeName).self")
    do {
      try adoption.adopt(into: container)
    } catch {
      // Other libraries may be at fault.
      guard !graph.libraries.contains(where: { $0.name == library.name }) else { return true }
      throw ComponentError.notRegistered(
        key, library: library.name, wasDropped: wasDropped, repairs: repairs, cause: error)
    }
    if wasDropped {
      LibraryAdoption.adoptSoon()
      let lines = [
        "The library \(library.name) is used, but the linker dropped its registration. The app \"\(name)\" has it from "
          + "now on; what was created before has done without it."
      ]
      Logger(source: "tenon-core").warning((lines + repairs.map { "  - \($0)" }).joined(separator: "\n"))
    }
    return true
  }
}
