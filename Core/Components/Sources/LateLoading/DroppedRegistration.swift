import Dispatch

/// Detects libraries that are linked and used, but whose registration the linker dropped (R13).
///
/// From a static archive, linkers include only objects that something refers to, and nothing refers to a registration.
enum DroppedRegistration {
  /// Returns the ways to keep the registration.
  ///
  /// - Parameter list: the library in code, as it would be passed to `App.configure(libraries:)`.
  static func repairs(list: String) -> [String] {
    [
      "Link the whole archive that holds it: -Wl,--whole-archive (GNU ld, gold, lld), -force_load (Apple's ld), "
        + "/WHOLEARCHIVE (MSVC), alwayslink = True (Bazel), $<LINK_LIBRARY:WHOLE_ARCHIVE,…> (CMake).",
      "List the libraries: App.configure(libraries: [\(list), …]).",
    ]
  }

  // MARK: - Finding the product of an interface that nothing provides

  /// Returns the product that should provide an interface, if its code is in this process but none of its
  /// libraries has registered.
  ///
  /// The code is recognized by the types that a product has by convention: a library `AuthLibrary` or a class
  /// `Auth` in `TenonAuth`. If the linker dropped these as well, the product can't be detected.
  static func unregisteredProduct(of key: ComponentKey) -> String? {
    guard let product = key.interopProduct, !isRegistered(product), isLinked(product) else { return nil }
    return product
  }

  /// Returns whether a library that a module declares has registered.
  private static func isRegistered(_ module: String) -> Bool {
    LibraryRegistry.libraries.contains { ComponentKey($0).module == module }
  }

  /// Returns whether a module's library type or main class is in this process, found by its mangled name.
  private static func isLinked(_ module: String) -> Bool {
    stems(of: module).contains { stem in
      // Mangled names: the module, the type, and its kind (`O` for an enum, `C` for a class), each name with its length.
      let library = "\(stem)Library"
      return isType("\(module.utf8.count)\(module)\(library.utf8.count)\(library)O")
        || isType("\(module.utf8.count)\(module)\(stem.utf8.count)\(stem)C")
    }
  }

  /// Returns whether the runtime finds a type with a mangled name.
  private static func isType(_ mangledName: String) -> Bool { _typeByName(mangledName) != nil }

  /// Returns the words with which the names of a product's types may begin: the module's name, with and without its leading
  /// words.
  private static func stems(of module: String) -> [String] {
    module.indices.filter { $0 == module.startIndex || module[$0].isUppercase }.map { String(module[$0...]) }
  }
}

extension ComponentContainer {
  /// The products that should provide what this container's components need and nothing provides, although their code is in
  /// the process.
  var unregisteredProducts: [String] {
    let wiring = currentWiring
    var keys: Set<ComponentKey> = []
    for node in wiring.own {
      for need in node.definition.needs
      where !need.kind.takesContributions && wiring.slot(need.key) == nil {
        keys.insert(need.key)
      }
    }
    return Set(keys.compactMap(DroppedRegistration.unregisteredProduct)).sorted()
  }

  /// Logs the products whose registration was dropped. Asynchronous, because the search takes longer than configuring an app.
  func logUnregisteredProductsSoon() {
    DispatchQueue.global().async { [weak self] in
      guard let self, self.life.phase == .live else { return }
      for product in self.unregisteredProducts {
        Logger(source: "tenon-core").error(
          ([
            "\(product) is linked, but its library has not registered, so \(self.life.owner) does without it."
          ]
            + DroppedRegistration.repairs(list: "\(product).…Library.self").map { "  - \($0)" })
            .joined(separator: "\n"))
      }
    }
  }
}

extension Features {
  static func didConfigure(_ app: App, usesLinkedLibraries: Bool) {
    if usesLinkedLibraries { app.container.logUnregisteredProductsSoon() }
  }

  static func unregisteredProduct(of key: ComponentKey) -> String? {
    DroppedRegistration.unregisteredProduct(of: key)
  }

  static func registrationRepairs(list: String) -> [String] { DroppedRegistration.repairs(list: list) }
}
