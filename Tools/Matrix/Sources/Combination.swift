import Foundation

/// An executable that links one combination of products, as Package.swift declares it.
struct Combination: Equatable {
  /// The name of the executable, for example `functions-auth`.
  let executable: String
  /// The modules of Tenon that it links, in order of declaration, for example `TenonCore` and
  /// `TenonFunctions`.
  let modules: [String]

  /// The linked products besides Core and the backend, for example `Functions` and `Auth`.
  private var products: [String] {
    modules.filter { !["TenonCore", "TenonEmbedded"].contains($0) }.map(Self.productName)
  }

  /// The product that the executable tries out, for example `Functions`.
  var subject: String { products.first ?? "Core" }

  /// For example `Functions with Auth and App Check`, or `Functions alone`.
  var title: String {
    let others = products.dropFirst()
    return others.isEmpty ? "\(subject) alone" : "\(subject) with \(others.joined(separator: " and "))"
  }

  /// Returns what users call a module: `App Check` for `TenonAppCheck`, and otherwise its name without
  /// `Tenon`.
  static func productName(_ module: String) -> String {
    module == "TenonAppCheck" ? "App Check" : String(module.dropFirst("Tenon".count))
  }

  /// Returns the name with which a module registers, for example `tenon-app-check` for `TenonAppCheck`.
  static func libraryName(_ module: String) -> String {
    (["tenon"] + words(of: module).map { $0.lowercased() }).joined(separator: "-")
  }

  private static func words(of module: String) -> [String] {
    module.dropFirst("Tenon".count).matches(of: /\p{Lu}[^\p{Lu}]*/).map { String($0.output) }
  }
}

extension Combination {
  /// The folder of the executables of all combinations, and of nothing else.
  private static let folder = "Integration/Combinations/"

  /// Returns the combinations that a package declares, in order of declaration.
  static func declared(in package: URL) throws -> [Combination] {
    let dump = try Command(
      "/usr/bin/env", ["swift", "package", "--package-path", package.path, "dump-package"]
    )
    .run()
    return try declared(inDump: dump)
  }

  /// Returns the combinations in the output of `swift package dump-package`.
  static func declared(inDump dump: Data) throws -> [Combination] {
    let manifest = try JSONDecoder().decode(Manifest.self, from: dump)
    // Other modules are parts of the products, or interfaces, and register nothing.
    let products = Set(manifest.products.map(\.name).filter { !$0.hasSuffix("Interop") })
    let found = manifest.targets.filter {
      $0.type == "executable" && $0.path?.hasPrefix(folder) == true
    }
    guard !found.isEmpty else {
      throw MatrixError("The package declares no executable in \(folder).")
    }
    return found.map { target in
      Combination(
        executable: target.name,
        modules: target.dependencies.compactMap(\.name).filter(products.contains))
    }
  }

  /// The parts of the output of `swift package dump-package` that matter here.
  private struct Manifest: Decodable {
    struct Product: Decodable { let name: String }

    struct Target: Decodable {
      let name: String
      let type: String
      let path: String?
      let dependencies: [Dependency]
    }

    /// An object with one member, such as `{"byName": ["TenonCore", null]}`.
    struct Dependency: Decodable {
      /// The name of the module; `nil` for a product of another package.
      let name: String?

      private enum CodingKeys: CodingKey { case byName, target }

      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard let key = members.allKeys.first else {
          name = nil
          return
        }
        var values = try members.nestedUnkeyedContainer(forKey: key)
        name = try values.decode(String.self)
      }
    }

    let products: [Product]
    let targets: [Target]
  }
}
