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
    let all = products + (hasBackend ? [("TenonEmbedded", modules.isTenon)] : [])
    var seen: Set<String> = []
    return all.filter { seen.insert($0.0).inserted }
  }

  /// Returns all files.
  func files(_ combinations: [Combination]) -> [(path: String, text: String)] {
    var files = [
      ("\(sources)\(name).swift", productFile),
      ("\(sources)\(name)Library.swift", libraryFile),
      ("\(modules.configuration.products.folder)/\(name)/Tests/\(name)Tests.swift", testsFile),
    ]
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
      let absence =
        need.interop.isContributed
        ? "; empty if no linked library contributes one"
        : need.isOptional ? "; `nil` if no linked library provides it" : ""
      return
        "\n  /// \(need.interop.name), as this product uses it\(absence).\n  private let \(need.parameter): \(need.type)"
    }.joined()
    let assignments = needs.map { "self.\($0.parameter) = \($0.parameter)" }
    let initializer =
      assignments.count == 1
      ? "{ \(assignments[0]) }"
      : "{\(assignments.map { "\n    \($0)" }.joined())\(assignments.isEmpty ? "" : "\n  ")}"
    let uses = needs.map { need in
      let append = "names.append(\"\(need.interop.interface)\")"
      return "\n    " + (need.presence.map { "if \($0) { \(append) }" } ?? append)
    }.joined()
    let body = needs.isEmpty ? " [] }" : "\n    var names: [String] = []\(uses)\n    return names\n  }"
    let interop = provides.map { [modules.interop($0)] } ?? []
    return """
      \(imports(needModules, public: ["TenonCore"] + interop))

      /// \(name) for an app. It can be used from any thread.
      public final class \(name): Sendable {\(properties)
      \(needs.isEmpty ? "" : "\n")  init(\(parameters)) \(initializer)

        /// Returns that of an app; of the default app if `app` is `nil`.
        ///
        /// - Throws: the error of the app's container.
        public static func \(member)(app: App? = nil) throws -> \(name) {
          try (app ?? App.default).resolve(\(name).self, from: \(name)Library.self)
        }

        /// The interfaces of other libraries that it uses, for example to show what is linked.
        public var uses: [String] {\(body)
      }
      \(conformance)
      """
  }

  /// The implementation of the interop.
  private var conformance: String {
    guard let provides else { return "" }
    return """

      extension \(name): \(modules.interface(provides)) {
        /// What it uses, as a sentence.
        public var status: String {
          get async throws { "\(name) uses \\(uses.isEmpty ? "nothing" : uses.joined(separator: ", "))" }
        }
      }

      """
  }

  private var libraryFile: String {
    let list = needs.map(\.need).joined(separator: ",\n      ")
    let component =
      needs.isEmpty
      ? "    Component(\(name).self) { _ in \(name)() }"
      : """
          Component(\(name).self, needs: \(list)) { _, \(needs.map(\.parameter).joined(separator: ", ")) in
            \(name)(\(arguments))
          }
      """
    let providing = provides.map { "\n    .providing((any \(modules.interface($0))).self) { $0 }" }
    return """
      \(imports(interops.map(\.module), public: ["TenonCore"]))

      /// The library of \(name), as the registry and the graph list it.
      public enum \(name)Library: Library {
        /// `\(Names.kebab(module))`
        public static let name = "\(Names.kebab(module))"
        /// The version of this library.
        public static let version = SemanticVersion(0, 1, 0)
        /// The components of the library: the ``\(name)`` of an app.
        @ComponentBuilder public static var components: [AnyComponent] {
      \(component)\(providing ?? "")
        }

        // The registration is in the type's file, so that every reference to the type links it too.
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
}
