import Dispatch

/// Detects libraries that are linked and used, but whose registration the linker dropped (R13).
///
/// From a static archive, linkers take only objects that something refers to, and nothing refers to a
/// registration.
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

  private static func isRegistered(_ module: String) -> Bool {
    LibraryRegistry.libraries.contains { ComponentKey($0).module == module }
  }

  private static func isLinked(_ module: String) -> Bool {
    stems(of: module).contains { stem in
      // Mangled names: the module, the type, and its kind.
      let library = "\(stem)Library"
      return isType("\(module.utf8.count)\(module)\(library.utf8.count)\(library)O")
        || isType("\(module.utf8.count)\(module)\(stem.utf8.count)\(stem)C")
    }
  }

  private static func isType(_ mangledName: String) -> Bool { _typeByName(mangledName) != nil }

  /// Returns the words with which a product's type names may begin: the module's name, with and without
  /// prefixes.
  private static func stems(of module: String) -> [String] {
    module.indices.filter { $0 == module.startIndex || module[$0].isUppercase }.map { String(module[$0...]) }
  }
}

extension ComponentContainer {
  /// The products whose interfaces optional needs of this container request in vain, although their code is
  /// in the process.
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

  /// Logs the products whose registration was dropped, later and on another thread, because looking for them
  /// takes longer than configuring an app.
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
