import Dispatch
import TenonBasics

/// Detects libraries that are linked and used, but whose registration the linker dropped (R13).
///
/// From a static archive, linkers include only objects that something refers to, and nothing refers to a
/// registration. What can be detected depends on which other code of the library was linked; the table in the
/// README of Core lists the cases.
enum DroppedRegistration {
  /// Returns the ways to keep the registration.
  ///
  /// - Parameter list: the library in code, as it would be passed to `App.configure(libraries:)`.
  /// - Returns: one sentence for each way: linker options, and an explicit list.
  static func repairs(list: String) -> [String] {
    [
      "Link the whole archive that holds it: -Wl,--whole-archive (GNU ld, gold, lld), -force_load (Apple's ld), "
        + "/WHOLEARCHIVE (MSVC), alwayslink = True (Bazel), $<LINK_LIBRARY:WHOLE_ARCHIVE,…> (CMake).",
      "List the libraries: App.configure(libraries: [\(list), …]).",
    ]
  }

  /// Returns the ways to keep the registration of a module's library, whose type isn't known.
  ///
  /// - Parameter module: the module.
  static func repairs(ofModule module: String) -> [String] { repairs(list: "\(module).…Library.self") }

  /// Returns the sentence that a library of a module may have been dropped.
  ///
  /// - Parameter module: the module that declares what nothing provides.
  static func suspicion(_ module: String) -> String {
    "No library of the module \(module), which declares it, has registered. If it has a library, the linker dropped "
      + "its registration."
  }

  // MARK: - Finding the product of an interface that nothing provides

  /// Returns the product that should provide an interface, if its code is in this process but none of its
  /// libraries has registered.
  ///
  /// The code is recognized by the types that a product has by convention: a library `AuthLibrary` or a class
  /// `Auth` in `TenonAuth`. If the linker dropped these as well, the product can't be detected.
  ///
  /// - Parameter key: a key that nothing provides.
  /// - Returns: the product's module, for example `TenonAuth`; `nil` if the type isn't declared in an interop
  ///   module, if the product has registered, or if nothing of it was linked.
  /// - Complexity: the runtime searches the types of all images for a name that it hasn't found before, so
  ///   this is for errors and inspection only.
  static func unregisteredProduct(of key: ComponentKey) -> String? {
    guard let product = key.interopProduct, !isRegistered(product), isLinked(product) else { return nil }
    return product
  }

  /// Returns whether a library that a module declares has registered.
  ///
  /// - Parameter module: the module, for example `TenonAuth`.
  /// - Complexity: O(*n*) in the number of registered libraries.
  static func isRegistered(_ module: String) -> Bool {
    LibraryRegistry.types.contains { ComponentKey($0).module == module }
  }

  /// Returns whether a module's library type or main class is in this process, found by its mangled name.
  ///
  /// - Parameter module: the module, for example `TenonAuth`: its types `TenonAuthLibrary`, `TenonAuth`,
  ///   `AuthLibrary` and `Auth` are looked up.
  private static func isLinked(_ module: String) -> Bool {
    stems(of: module).contains { stem in
      // Mangled names: the module, the type, and its kind (`O` for an enum, `C` for a class), each name with
      // its length.
      let library = "\(stem)Library"
      return isType("\(module.utf8.count)\(module)\(library.utf8.count)\(library)O")
        || isType("\(module.utf8.count)\(module)\(stem.utf8.count)\(stem)C")
    }
  }

  /// Returns whether the runtime finds a type with a mangled name.
  ///
  /// - Parameter mangledName: the name without the prefix `$s`, as the
  ///   [mangling](https://github.com/swiftlang/swift/blob/main/docs/ABI/Mangling.rst) of the Swift ABI
  ///   defines it, for example `9TenonAuth4AuthC`.
  private static func isType(_ mangledName: String) -> Bool { _typeByName(mangledName) != nil }

  /// Returns the words with which the names of a product's types may begin: the module's name, with and
  /// without its leading words. For `TenonAppCheck`, these are `TenonAppCheck`, `AppCheck` and `Check`.
  ///
  /// - Parameter module: the module.
  private static func stems(of module: String) -> [String] {
    module.indices.filter { $0 == module.startIndex || module[$0].isUppercase }.map { String(module[$0...]) }
  }
}

extension Wiring {
  /// Returns the module of a type that nothing provides, if neither a library nor any component comes from
  /// it: its library may have been dropped.
  ///
  /// - Parameter key: the key that nothing provides.
  /// - Returns: the module; `nil` for the toolchain's modules, and for interop modules, whose product is
  ///   found by ``DroppedRegistration/unregisteredProduct(of:)``.
  /// - Complexity: O(*n*) in the number of components and of registered libraries.
  func silentModule(of key: ComponentKey) -> String? {
    let module = key.module
    guard key.interopProduct == nil, !Self.toolchainModules.contains(module), !module.hasPrefix("_"),
      !DroppedRegistration.isRegistered(module),
      !nodes.contains(where: { $0.definition.place.file.description.hasPrefix("\(module)/") })
    else { return nil }
    return module
  }

  /// The modules whose types are often keys, and that have no libraries.
  private static var toolchainModules: Set<String> {
    ["Swift", "Foundation", "FoundationEssentials", "Dispatch", "Synchronization"]
  }
}

extension ComponentContainer {
  /// Logs that the library of a key that nothing provides may have been dropped (R13): once for each module
  /// in an app, and not if the app has a list of libraries.
  ///
  /// - Parameters:
  ///   - key: the key, which isn't required.
  ///   - thread: the calling thread.
  func logIfDropped(_ key: ComponentKey, _ thread: CurrentThread) {
    guard let adoption = libraryAdoption, !adoption.isRestricted, adoption.isFirstAbsence(of: key),
      let module = wiring(for: thread).silentModule(of: key), adoption.isFirstSuspicion(of: module)
    else { return }
    let lines = ["\(life.owner.title) provides no \(key). \(DroppedRegistration.suspicion(module))"]
    AppLogger(source: "tenon-core").notice(
      (lines + DroppedRegistration.repairs(ofModule: module).map { "  - \($0)" }).joined(separator: "\n"))
  }

  /// The products that should provide what this container's components need and nothing provides, although
  /// their code is in the process. Sorted by name, without duplicates. Only the needs of components that this
  /// container creates itself are considered.
  var unregisteredProducts: [String] {
    let wiring = currentWiring
    var keys: Set<ComponentKey> = []
    for node in wiring.own {
      for need in node.definition.needs
      where !need.kind.takesContributions && wiring.slot(need.key) == nil {
        keys.insert(need.key)
      }
    }
    return Set(keys.compactMap(DroppedRegistration.unregisteredProduct)).ordered()
  }

  /// Logs the products whose registration was dropped, as errors with the repairs. Asynchronous, because the
  /// search takes longer than configuring an app. Nothing is logged if the container is deallocated or
  /// deleted before.
  func logUnregisteredProductsSoon() {
    DispatchQueue.global().async { [weak self] in
      guard let self, self.life.phase == .live else { return }
      for product in self.unregisteredProducts {
        AppLogger(source: "tenon-core").error(
          ([
            "\(product) is linked, but its library hasn't registered, so \(self.life.owner) does without it."
          ]
            + DroppedRegistration.repairs(list: "\(product).…Library.self").map { "  - \($0)" })
            .joined(separator: "\n"))
      }
    }
  }
}
