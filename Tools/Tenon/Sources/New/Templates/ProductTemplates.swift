import TenonFoundation

/// The texts of a new product.
struct ProductTemplates {
  let name: String
  let needs: [ResolvedNeed]
  /// The name of the interop that it implements.
  let provides: String?
  let modules: NewModules

  var module: String { modules.product(name) }
  private var member: String { Names.member(name) }
  private var sources: String { "\(modules.configuration.products.folder)/\(name)/Sources/" }

  /// The interops that the product imports.
  var interops: [KnownInterop] {
    let own = provides.map {
      KnownInterop(
        name: $0, module: modules.interop($0), interface: modules.interface($0), isOwn: true, product: nil,
        fake: .none)
    }
    return needs.map(\.interop) + [own].compactMap(\.self)
  }

  /// The modules that a program links besides the product and Core.
  func links(_ combination: Combination) -> [(module: String, isOwn: Bool)] {
    let products = combination.needs.compactMap { need in
      need.interop.product.map { need.interop.isOwn ? (modules.product($0), true) : ("Tenon\($0)", false) }
    }
    // Tenon's products use a backend.
    let hasBackend = modules.isTenon || combination.needs.contains { !$0.interop.isOwn }
    return products + (hasBackend ? [("TenonEmbedded", modules.isTenon)] : [])
  }

  /// Returns all files.
  func files(_ combinations: [Combination]) -> [(path: String, text: String)] {
    var files = [
      ("\(sources)\(name).swift", productFile), ("\(sources)\(name)Instances.swift", instancesFile),
      ("\(sources)\(name)Library.swift", libraryFile),
      ("\(modules.configuration.products.folder)/\(name)/Tests/\(name)Tests.swift", testsFile),
    ]
    if let accessFile { files.append(accessFile) }
    if modules.isTenon {
      files.append(("Integration/Features/\(name)/Sources/\(name)Features.swift", featuresFile))
    }
    files += combinations.map { combination in
      modules.isTenon
        ? ("Integration/Combinations/\(combination.folder)/Sources/main.swift", ownMainFile(combination))
        : ("Integration/\(combination.folder)/main.swift", mainFile(combination))
    }
    return files
  }

  /// Returns the imports of some modules in alphabetical order.
  private func imports(_ names: [String], public publicNames: [String] = []) -> String {
    (names.map { ($0, "import \($0)") } + publicNames.map { ($0, "public import \($0)") }).sorted {
      $0.0 < $1.0
    }
    .map(\.1).joined(separator: "\n")
  }

  private var parameters: String { needs.map { "\($0.parameter): \($0.type)" }.joined(separator: ", ") }
  private var arguments: String { needs.map { "\($0.parameter): \($0.parameter)" }.joined(separator: ", ") }
  private var needModules: [String] { needs.map(\.interop.module) }

  private var productFile: String {
    let properties = needs.map { need in
      let absence = need.isOptional ? "; `nil` if no linked library provides it" : ""
      return
        "\n  /// \(need.interop.name), as this product uses it\(absence).\n  private let \(need.parameter): \(need.type)"
    }.joined()
    let assignments = needs.map { "\n    self.\($0.parameter) = \($0.parameter)" }.joined()
    let uses = needs.map { need in
      need.isOptional
        ? "\n    if \(need.parameter) != nil { names.append(\"\(need.interop.interface)\") }"
        : "\n    names.append(\"\(need.interop.interface)\")"
    }.joined()
    let body = needs.isEmpty ? "[]" : "\n    var names: [String] = []\(uses)\n    return names\n  "
    return """
      \(imports(needModules, public: ["TenonCore"]))

      /// \(name) for an app. It can be used from any thread.
      ///
      /// ```swift
      /// let \(member) = try \(name).\(member)()
      /// ```
      public final class \(name): Sendable {
        /// What distinguishes the instances of an app.
        public let name: String\(properties)

        init(name: String\(needs.isEmpty ? "" : ", \(parameters)")) {
          self.name = name\(assignments)
        }

        /// Returns an instance of an app. The same arguments always return the same instance.
        ///
        /// - Parameters:
        ///   - app: the app; the default app if `nil`.
        ///   - name: what distinguishes the instances; `default` by default.
        /// - Throws: the error of the app's container.
        public static func \(member)(app: App? = nil, name: String = "default") throws -> \(name) {
          try (app ?? App.default).resolve(\(name)Instances.self, from: \(name)Library.self).\(member)(name: name)
        }

        /// The interfaces of other libraries that this instance uses, for example to show what is linked.
        public var uses: [String] {\(needs.isEmpty ? " [] }" : body + "}")
      }

      """
  }

  private var instancesFile: String {
    let properties = needs.map { "\n  private let \($0.parameter): \($0.type)" }.joined()
    let assignments = needs.map { "\n    self.\($0.parameter) = \($0.parameter)" }.joined()
    let initializer = needs.isEmpty ? "" : "\n\n  init(\(parameters)) {\(assignments)\n  }"
    let (lock, module) = modules.isTenon ? ("Lock", "TenonCore") : ("Mutex", "Synchronization")
    return """
      \(imports(needModules + [module]))

      /// The instances of ``\(name)`` of one app, by name. It can be used from any thread.
      final class \(name)Instances: Sendable {\(properties)
        /// The instances that were requested so far.
        private let instances = \(lock)<[String: \(name)]>([:])\(initializer)

        /// Returns the instance of a name.
        func \(member)(name: String) -> \(name) {
          instances.withLock { instances in
            if let instance = instances[name] { return instance }
            let instance = \(name)(name: name\(needs.isEmpty ? "" : ", \(arguments)"))
            instances[name] = instance
            return instance
          }
        }
      }

      """
  }

  private var libraryFile: String {
    let list = needs.map { ".\($0.isOptional ? "optional" : "required")((any \($0.interop.interface)).self)" }
    let component =
      needs.isEmpty
      ? "    Component(\(name)Instances.self) { _ in \(name)Instances() }"
      : """
          Component(
            \(name)Instances.self,
            needs: \(list.joined(separator: ",\n      "))
          ) { _, \(needs.map(\.parameter).joined(separator: ", ")) in
            \(name)Instances(\(arguments))
          }
      """
    let providing = provides.map {
      "\n    .providing((any \(modules.interface($0))).self) { \($0)Access(instances: $0) }"
    }
    return """
      \(imports(interops.map(\.module), public: ["TenonCore"]))

      /// The library of \(name), as the registry and the graph list it.
      public enum \(name)Library: Library {
        /// `\(Names.kebab(module))`
        public static let name = "\(Names.kebab(module))"
        /// The version of this library.
        public static let version = SemanticVersion(0, 1, 0)

        /// The components of the library: the instances of ``\(name)`` of an app.
        @ComponentBuilder public static var components: [AnyComponent] {
      \(component)\(providing ?? "")
        }

        // The registration is in the type's file, so that every reference to the type links it too, even from an archive with
        // one object per file.
        #if objectFormat(ELF) || objectFormat(Wasm)
          @section(".init_array")
        #elseif objectFormat(MachO)
          @section("__DATA,__mod_init_func")
        #elseif objectFormat(COFF)
          @section(".CRT$XCU")
        #endif
        @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(\(name)Library.self) }
      }

      """
  }

  private var accessFile: (path: String, text: String)? {
    provides.map { interop in
      (
        "\(sources)\(interop)Access.swift",
        """
        import \(modules.interop(interop))

        /// ``\(name)`` as other products use it.
        struct \(interop)Access: \(modules.interface(interop)) {
          let instances: \(name)Instances

          var status: String {
            get async throws {
              let uses = instances.\(member)(name: "default").uses
              return uses.isEmpty ? "\(name) uses nothing" : "\(name) uses \\(uses.joined(separator: ", "))"
            }
          }
        }

        """
      )
    }
  }
}
