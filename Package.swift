// swift-tools-version: 6.3
import PackageDescription

// The map of the package. The vocabulary is at the bottom: a target's folder is derived from its area and
// name, and `product` has no parameter that could name another product.

let package = Package(
  name: "tenon",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: libraries + [.plugin(name: "tenon-check", targets: ["tenon-check"])],
  traits: [
    .trait(
      name: "OpenCombine",
      description:
        "The publishers of TenonStoreCombine where there is no Combine. Only applications enable it.")
  ],
  // Only executables that no product declares use these packages, so a package that depends on Tenon never
  // fetches them. Their versions are exact, because nothing else pins what this repository is tested with.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    // Fetched only with the trait of the same name.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: core("Foundation", imports: [.basics])
    + core(
      "Components", module: "TenonCore", over: .basics,
      imports: [.target("TenonThreads"), .target("TenonJSONReader")])
    + core("JSON", imports: [.target("TenonJSONReader")])
    + core("Callable", imports: [.components, .core("JSON")])
    + core("Telemetry", imports: [.components, .interop("Observability")])
    + core("Hashes")
    + core("Signatures", imports: [.target("CSignatures")])
    + core("Values")
    + core(
      "Documents",
      imports: [
        .target("TenonStoredNumbers"), .core("JSON"), .core("Hashes"), .core("Values"), .interop("Store"),
      ])
    + core(
      "Rules",
      imports: [.core("JSON"), .core("Hashes"), .core("Values"), .core("Documents"), .interop("Store")])
    + core("WebChannel", imports: [.core("JSON")])
    + core(
      "SQLite", imports: [.target("CSQLite"), .target("TenonChecksums"), .target("TenonSums")],
      testsImport: [.target("SQLiteFaults")])
    + core(
      "Transport",
      imports: [
        .components, .core("JSON"), .target("TenonJSONReader"), .target("TenonHTTP"), .linux("CTransport"),
        .elsewhere("TenonURLSession"),
        .core("Telemetry"), .interop("Observability"), .interop("Transport"), .interop("Auth"),
        .interop("AppCheck"), .interop("Admin"),
      ],
      testsImport: [.target("TenonURLSession")])
    + core(
      "Testing",
      imports: [.components, .core("Values"), .core("Documents"), .core("Rules"), .core("Transport")]
        + interops.map(Import.interop))
    // What only tools and the tests of this package use.
    + core("Processes")
    + core(
      "TestSupport",
      imports: [
        .components, .core("JSON"), .core("Hashes"), .core("Signatures"), .core("Processes"),
        .core("Transport"),
        .core("Testing"), .interop("AppCheck"), .interop("Auth"), .interop("Transport"),
      ])
    + interops.map { interop($0, passes: $0 == "Store" ? [.core("Values")] : []) }
    + product(
      "Auth", uses: ["JSON", "Hashes", "Telemetry", "Transport"],
      speaks: ["Auth", "AppCheck", "Observability", "Transport"])
    + product(
      "AppCheck", uses: ["JSON", "Telemetry", "Transport"],
      speaks: ["AppCheck", "Observability", "Transport"])
    + product(
      "Functions", uses: ["JSON", "Callable", "Telemetry", "Transport"],
      speaks: ["Admin", "Auth", "AppCheck", "Observability", "Transport"])
    + product(
      "Storage", uses: ["JSON", "Hashes", "Telemetry", "Transport"],
      speaks: ["Storage", "Admin", "Auth", "AppCheck", "Observability", "Transport"])
    + product(
      "Store", uses: ["Telemetry", "Values", "Documents"],
      engineUses: ["JSON", "SQLite", "Telemetry", "Values", "Documents"],
      speaks: ["Store", "Admin", "Auth", "Observability", "Storage"],
      testsImport: ["SQLiteFaults", "TenonRules"])
    + product(
      "StoreSync", uses: ["JSON", "Telemetry", "Values", "Documents", "Transport", "WebChannel"],
      speaks: ["Store", "Admin", "Auth", "AppCheck", "Observability", "Transport"])
    + product(
      "Embedded",
      uses: [
        "JSON", "Callable", "SQLite", "Hashes", "Signatures", "Telemetry", "Values", "Documents", "Rules",
        "Transport", "WebChannel",
      ],
      linksOnLinux: ["CCrypt"],
      speaks: ["Store", "Auth", "Observability", "Transport"])
    + product(
      "Admin", uses: ["JSON", "Signatures", "Telemetry", "Transport"],
      speaks: ["Admin", "Observability", "Transport"])
    + storeCombine
    + [
      ["Auth"], ["Auth", "AppCheck"], ["Functions"], ["Functions", "Auth"], ["Functions", "AppCheck"],
      ["Functions", "Auth", "AppCheck"], ["Storage"], ["Storage", "Auth"], ["Storage", "AppCheck"],
      ["Storage", "Auth", "AppCheck"], ["Store", "Storage"], ["Store", "Admin"], ["Store", "Auth"],
      ["Store", "Auth", "AppCheck"], ["Store", "StoreSync", "Auth"],
      ["Store", "StoreSync", "Auth", "AppCheck"],
    ].map(combination)
    + [
      combination(named: "CoreAlone", links: [], packages: ["AllocationCounter"]),
      combination(
        named: "StoreAlone", links: ["Store"],
        packages: ["StoreFeatures", "AllocationCounter", "TenonObservabilityInterop", "TenonTelemetry"]),
      combination(named: "StoreSync", links: ["Store", "StoreSync"], packages: ["StoreFeatures"]),
    ]
    + ["Auth", "Functions", "Storage"].map { features(of: $0, on: ["Embedded"]) } + [
      features(of: "Store", imports: ["TenonStoreInterop"])
    ]
    + [
      .target(name: "TenonLocks", path: "Core/Foundation/Locks"),
      // What TenonCore uses of the modules that export these, so that a program on Core alone links no more.
      .target(
        name: "TenonBasics", dependencies: ["TenonLocks"], path: "Core/Foundation/Basics/Sources",
        swiftSettings: strict),
      .target(
        name: "TenonJSONReader", dependencies: ["TenonBasics"], path: "Core/JSON/Reader/Sources",
        swiftSettings: strict),
      .target(name: "TenonThreads", path: "Core/Components/Threads"),
      .target(
        name: "TenonHTTP", dependencies: ["TenonFoundation", "TenonCore", "TenonTransportInterop"],
        path: "Core/Transport/HTTP/Sources", swiftSettings: strict),
      .target(
        name: "TenonURLSession",
        dependencies: ["TenonFoundation", "TenonCore", "TenonHTTP", "TenonTransportInterop"],
        path: "Core/Transport/URLSession/Sources", swiftSettings: strict),
      .target(name: "CTransport", path: "Core/Transport/CTransport"),
      .systemLibrary(name: "CSQLite", path: "Core/SQLite/CSQLite"),
      .target(
        name: "TenonChecksums", dependencies: ["TenonLibcrypto"], path: "Core/SQLite/Checksums",
        linkerSettings: [.linkedLibrary("sqlite3")]),
      .target(name: "TenonLibcrypto", path: "Core/Libcrypto"),
      .target(name: "TenonStoredNumbers", path: "Core/Documents/StoredNumbers"),
      .target(name: "TenonSums", path: "Core/SQLite/Sums", linkerSettings: [.linkedLibrary("sqlite3")]),
      .target(name: "SQLiteFaults", path: "Core/SQLite/Faults", linkerSettings: [.linkedLibrary("sqlite3")]),
      .systemLibrary(name: "CMalloc", path: "Core/TestSupport/CMalloc"),
      .target(name: "TestProcess", path: "Core/TestSupport/Process"),
      // What `tenon store` does with the file of a database. No product names it, so no app links it.
      .target(
        name: "TenonStoreInspection",
        dependencies: [
          "TenonFoundation", "TenonSQLite", "TenonValues", "TenonDocuments", "TenonStoreInterop",
          "TenonStoreEngine",
        ],
        path: "Products/Store/Inspection/Sources", swiftSettings: strict),
      .systemLibrary(name: "CCrypt", path: "Products/Embedded/CCrypt"),
      .target(
        name: "CSignatures", dependencies: ["TenonLibcrypto"], path: "Core/Signatures/CSignatures"),
      .target(name: "AllocationCounter", path: "Integration/AllocationCounter"),
      integration(
        "StoreWriter", links: ["Store", "StoreSync"], packages: ["TenonDocuments", "TenonStoreInterop"]),
      integration(
        "Notes", executable: "Notes",
        links: ["Auth", "Functions", "Storage", "Store", "StoreSync", "Embedded"],
        packages: ["NotesText", "TenonTransport", "TenonTransportInterop", argumentParser]),
      integration("FriendlyEats", links: ["Store", "Embedded"], packages: []),
      integration(
        "TenonServer", links: ["Embedded"],
        packages: [
          "FirestoreExport", "FirestoreProtobuf", "TenonDocuments", "TenonJSON", "TenonRules",
          "TenonStoreInterop", "TenonTransport", "TenonTransportInterop", argumentParser,
          from("swift-nio", "NIOCore"), from("swift-nio", "NIOPosix"), from("swift-nio", "NIOHTTP1"),
          from("swift-nio-http2", "NIOHTTP2"),
        ], resources: [.embedInCode("Browser/Page")]),
      integration(
        "Stress", links: ["Auth", "Store", "Embedded"],
        packages: ["TenonAuthInterop", "TenonStoreInterop", argumentParser]),
      .target(
        name: "FirestoreProtobuf",
        dependencies: ["TenonFoundation", "TenonJSON", "TenonValues", "TenonDocuments"],
        path: "Integration/TenonServer/Protobuf/Sources", swiftSettings: strict),
      tests(
        "Integration", "TenonServer/Protobuf", module: "FirestoreProtobuf",
        imports: [.core("JSON"), .core("Values"), .core("Documents")]),
      .target(
        name: "FirestoreExport",
        dependencies: [
          "FirestoreProtobuf", "TenonFoundation", "TenonHashes", "TenonValues", "TenonDocuments",
        ],
        path: "Integration/TenonServer/Export/Sources", swiftSettings: strict),
      tests(
        "Integration", "TenonServer/Export", module: "FirestoreExport",
        imports: [.core("Values"), .core("Documents")]),
      .target(
        name: "NotesText", dependencies: [from("Yams", "Yams")], path: "Integration/Notes/Text/Sources",
        swiftSettings: strict),
      tests("Integration", "Notes/Text", module: "NotesText"),
      .target(
        name: "IntegrationReport", dependencies: ["TenonBasics", "TenonCore"],
        path: "Integration/Report/Sources",
        swiftSettings: strict),
      // The tests run the executables as processes. They must not depend on the executables, which would link
      // all products into the test process, where none could be absent.
      .testTarget(
        name: "IntegrationTests",
        dependencies: libraryTargets
          + [
            "TenonFoundation", "TenonSQLite", "TenonValues", "TenonDocuments", "TenonStoreEngine",
            "TenonProcesses", "TenonTestSupport", "CMalloc", "TestProcess",
          ],
        path: "Integration/Tests", swiftSettings: strict),
      .plugin(
        name: "tenon-check",
        capability: .command(
          intent: .custom(
            verb: "tenon-check",
            description: "Checks the components that are linked into executables, without running them.")),
        path: "Tools/CheckPlugin/Sources"),
      tool(
        "Tenon", executable: "tenon",
        links: [
          .foundation, .components, .core("JSON"), .core("SQLite"), .core("Values"), .core("Documents"),
          .core("Rules"), .core("Transport"), .core("Processes"), .interop("Transport"), .interop("Store"),
          .target("TenonStoreEngine"), .target("TenonStoreInspection"),
        ],
        packages: [argumentParser], resources: [.embedInCode("Graph/Page"), .embedInCode("Adapters")]),
      tests(
        "Tools", "Tenon", module: "tenon",
        imports: [
          .core("SQLite"), .core("Values"), .core("Documents"), .core("Rules"), .interop("Store"),
          .target("TenonStoreEngine"), .target("TenonStore"),
        ]),
      // Started by tenon-bench, which measures the time until `main`.
      .target(name: "StartReport", path: "Tools/Bench/Start/Report/Sources", swiftSettings: strict),
      tool("Bench/Start/Swift", executable: "start-swift", links: [.target("StartReport")]),
      tool("Bench/Start/Core", executable: "start-core", links: [.target("StartReport"), .components]),
      tool(
        "Bench/Start/EveryProduct", executable: "start-every-product",
        links: [.target("StartReport")]
          + ["Auth", "AppCheck", "Functions", "Storage", "Store", "StoreSync", "Embedded", "Admin"].map {
            .target("Tenon\($0)")
          }),
      sample("WeatherInterop"),
      sample("Weather", imports: ["TenonCore", "TenonAuthInterop", "WeatherInterop"]),
      // The programs of the documentation, which a test compares with its pages and runs.
      .executableTarget(
        name: "doc-samples",
        dependencies: [
          "TenonCore", "TenonAdmin", "TenonAuth", "TenonAppCheck", "TenonFunctions", "TenonStorage",
          "TenonStore", "TenonEmbedded", "TenonRules", "TenonObservabilityInterop", "Weather",
        ],
        path: "Documentation/Samples/Programs/Sources", swiftSettings: strict),
      tool(
        "Matrix", executable: "tenon-matrix",
        links: [.foundation, .components, .target("IntegrationReport")],
        packages: [argumentParser]),
      tests("Tools", "Matrix", module: "tenon-matrix"),
      tool(
        "StoreSpec", executable: "store-spec",
        links: [
          .foundation, .components, .core("SQLite"), .core("Values"), .core("Documents"), .interop("Store"),
          .target("TenonStoreEngine"), .target("SQLiteFaults"),
        ]),
      tests(
        "Tools", "StoreSpec", module: "store-spec",
        imports: [
          .components, .core("SQLite"), .core("Values"), .core("Documents"), .interop("Store"),
          .target("TenonStoreEngine"), .target("SQLiteFaults"),
        ]),
    ],
  swiftLanguageModes: [.v6]
)

// What only a deep run needs (see README): the benchmarks, with the packages to which they compare Tenon.
if Context.environment["TENON_DEEP"] == "1" {
  package.dependencies.append(.package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"))
  package.targets += [
    .target(name: "CBenchServer", path: "Tools/Bench/CBenchServer"),
    .target(
      name: "CBenchStatements", path: "Tools/Bench/CBenchStatements",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    tool(
      "Bench", executable: "tenon-bench",
      links: [
        .foundation, .components, .core("SQLite"), .core("Hashes"), .core("Values"), .core("Rules"),
        .core("Signatures"), .core("Telemetry"), .core("Transport"), .interop("Auth"),
        .interop("Observability"), .interop("Transport"), .target("TenonAdmin"), .target("TenonStorage"),
        .target("TenonStore"), .target("TenonStoreSync"), .target("TenonEmbedded"),
        .target("CMalloc"),
        .target("CBenchServer"), .target("CBenchStatements"),
      ],
      packages: [argumentParser, from("GRDB.swift", "GRDB")]),
  ]
}

// The adapters that `tenon new adapter` copies, and the example server that uses them. Their packages are those
// of servers in Swift, and building them takes minutes, so only this variable brings them.
if Context.environment["TENON_ADAPTERS"] == "1" {
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
  ]
  package.targets += [
    // The command embeds these files as they are. Vapor isn't a dependency, so its adapter isn't compiled.
    .target(
      name: "ServerAdapters",
      dependencies: [
        "TenonCore", "TenonAdmin", "TenonStore", "TenonObservabilityInterop",
        from("swift-log", "Logging"), from("swift-metrics", "Metrics"),
        from("swift-distributed-tracing", "Tracing"), from("swift-configuration", "Configuration"),
        from("swift-service-lifecycle", "ServiceLifecycle"), from("hummingbird", "Hummingbird"),
      ],
      path: "Tools/Tenon/Sources/Adapters", exclude: ["VaporUser.swift"], swiftSettings: strict),
    integration(
      "NotesServer", links: ["Admin", "Embedded", "Storage", "Store", "StoreSync"],
      packages: ["ServerAdapters", "TenonObservabilityInterop"] + serverPackages),
    .testTarget(
      name: "NotesServerTests",
      dependencies: ["notes-server", "ServerAdapters", "TestProcess"]
        + [
          "Admin", "AppCheck", "Auth", "Core", "Embedded", "Foundation", "ObservabilityInterop", "Store",
          "Testing", "TestSupport", "Transport", "TransportInterop",
        ].map { .init(stringLiteral: "Tenon\($0)") }
        + [
          from("swift-log", "InMemoryLogging"),
          from("swift-metrics", "MetricsTestKit"), from("swift-distributed-tracing", "InMemoryTracing"),
        ] + serverPackages,
      path: "Integration/NotesServer/Tests", swiftSettings: strict),
  ]
}

// Builds the tests of these targets only, separated by commas: a build of all tests takes several minutes.
if let names = Context.environment["TENON_TESTS"]?.split(separator: ",").map(String.init) {
  let tests = package.targets.filter { $0.type == .test }.map(\.name)
  let unknown = Set(names).subtracting(tests).sorted()
  if !unknown.isEmpty {
    fatalError("TENON_TESTS: there is no test target \(unknown.joined(separator: ", ")), but \(tests)")
  }
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}

// MARK: - Vocabulary

nonisolated var argumentParser: Target.Dependency { from("swift-argument-parser", "ArgumentParser") }
func from(_ package: String, _ name: String) -> Target.Dependency { .product(name: name, package: package) }

/// What the example server and its tests use of packages of servers.
nonisolated var serverPackages: [Target.Dependency] {
  [
    from("hummingbird", "Hummingbird"), from("swift-log", "Logging"), from("swift-metrics", "Metrics"),
    from("swift-distributed-tracing", "Tracing"), from("swift-configuration", "Configuration"),
    from("swift-service-lifecycle", "ServiceLifecycle"),
  ]
}

/// The interop modules: `Interop/<Name>` holds `Tenon<Name>Interop`.
nonisolated var interops: [String] {
  ["Admin", "AppCheck", "Auth", "Observability", "Storage", "Store", "Transport"]
}

/// The library products: one per module that users can depend on. All are automatic, because two copies of
/// Core in one process would lose registrations.
nonisolated var libraries: [Product] {
  let core = ["Core", "Rules", "Testing", "Transport"].map { "Tenon\($0)" }
  let products = [
    "Auth", "AppCheck", "Functions", "Storage", "Store", "StoreSync", "Embedded", "Admin", "StoreCombine",
  ].map {
    "Tenon\($0)"
  }
  return (core + interops.map { "Tenon\($0)Interop" } + products).map { .library(name: $0, targets: [$0]) }
}

/// All library targets, for the tests of Integration, which combine products.
nonisolated var libraryTargets: [Target.Dependency] { libraries.map { .init(stringLiteral: $0.name) } }

/// The compiler settings of all targets.
nonisolated var strict: [SwiftSetting] {
  [
    "InternalImportsByDefault", "MemberImportVisibility", "ExistentialAny", "NonisolatedNonsendingByDefault",
    "InferIsolatedConformances",
  ].map { .enableUpcomingFeature($0) } + (isStrict ? [.treatAllWarnings(as: .error)] : [])
}

/// Whether warnings are errors, which `.ci/run` selects with `TENON_STRICT=1`. Not in a package that depends
/// on this one: SwiftPM suppresses the warnings of dependencies, and the compiler rejects both options
/// together (`swift build --build-system swiftbuild`).
nonisolated var isStrict: Bool { Context.environment["TENON_STRICT"] == "1" }

/// A module that a target may import.
struct Import {
  let name: String
  var platforms: [Platform]?
  var dependency: Target.Dependency { .target(name: name, condition: condition) }
  private var condition: TargetDependencyCondition? { platforms.flatMap { .when(platforms: $0) } }
  static var basics: Import { target("TenonBasics") }
  static var foundation: Import { target("TenonFoundation") }
  static var components: Import { target("TenonCore") }
  static func core(_ name: String) -> Import { target("Tenon\(name)") }
  static func interop(_ name: String) -> Import { target("Tenon\(name)Interop") }
  static func target(_ name: String) -> Import { Import(name: name) }
  /// A library that exists only on Linux.
  static func linux(_ name: String) -> Import { Import(name: name, platforms: [.linux]) }
  /// A module for all platforms but Linux.
  static func elsewhere(_ name: String) -> Import {
    let platforms: [Platform] = [
      .macOS, .macCatalyst, .iOS, .tvOS, .watchOS, .visionOS, .windows, .android, .wasi, .openbsd,
    ]
    return Import(name: name, platforms: platforms)
  }
}

/// Returns a module of `Core/<name>` and its tests. All but the first import `Core/Foundation`, or the module
/// `base` of it.
func core(
  _ name: String, module: String? = nil, over base: Import = .foundation, imports: [Import] = [],
  testsImport: [Import] = []
) -> [Target] {
  let module = module ?? "Tenon\(name)"
  let imports = (name == "Foundation" ? [] : [base]) + imports
  return [
    .target(
      name: module, dependencies: imports.map(\.dependency), path: "Core/\(name)/Sources",
      swiftSettings: strict),
    tests(
      "Core", name, module: module,
      imports: imports + testsImport),
  ]
}

/// Returns an interop module, which imports only the toolchain, and the modules of the plain values that its
/// protocols pass.
func interop(_ name: String, passes values: [Import] = []) -> Target {
  .target(
    name: "Tenon\(name)Interop", dependencies: values.map(\.dependency), path: "Interop/\(name)/Sources",
    swiftSettings: strict)
}

/// Returns a product and its tests. The product may import Core and interop modules, but no other product;
/// its tests may import the product and Core. `engineUses` gives it a second target for what is behind its API,
/// `Tenon<Name>Engine` in `Products/<Name>/Engine`, which no other product can name.
func product(
  _ name: String, uses core: [String] = [], engineUses engineCore: [String] = [],
  linksOnLinux system: [String] = [], speaks interops: [String],
  testsImport: [String] = []
) -> [Target] {
  let common = [Import.foundation, .components] + interops.map(Import.interop)
  let engine = engineCore.isEmpty ? [] : [Import.target("Tenon\(name)Engine")]
  let imports = common + core.map(Import.core) + system.map(Import.linux) + engine
  let engineImports = common + engineCore.map(Import.core)
  return engine.map {
    .target(
      name: $0.name, dependencies: engineImports.map(\.dependency), path: "Products/\(name)/Engine/Sources",
      swiftSettings: strict)
  } + [
    .target(
      name: "Tenon\(name)", dependencies: imports.map(\.dependency), path: "Products/\(name)/Sources",
      swiftSettings: strict),
    tests(
      "Products", name, module: "Tenon\(name)",
      imports: imports + engineCore.map(Import.core) + testsImport.map(Import.target)),
  ]
}

/// `TenonStoreCombine`, which extends `TenonStore`: the one product that may import another one, and the one
/// whose package stands behind a trait. It knows Auth and Storage by their interops.
nonisolated var storeCombine: [Target] {
  let openCombine = Target.Dependency.product(
    name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"]))
  return [
    .target(
      name: "TenonStoreCombine",
      dependencies: [
        "TenonFoundation", "TenonCore", "TenonStore", "TenonAuthInterop", "TenonStorageInterop", openCombine,
      ],
      path: "Products/StoreCombine/Sources", swiftSettings: strict),
    tests("Products", "StoreCombine", module: "TenonStoreCombine", imports: [.components]),
  ]
}

/// Returns an executable that links some products, or Core alone.
func integration(
  _ name: String, executable: String? = nil, folder: String = "Integration", links products: [String],
  packages: [Target.Dependency], resources: [Resource]? = nil
) -> Target {
  .executableTarget(
    name: executable ?? kebab(name),
    dependencies: ([products.isEmpty ? "Basics" : "Foundation", "Core"] + products).map {
      .init(stringLiteral: "Tenon\($0)")
    } + packages,
    path: "\(folder)/\(name)/Sources", resources: resources, swiftSettings: strict)
}

/// Returns an executable that links one combination of products, which is a row of Integration/MATRIX.md.
func combination(named name: String, links products: [String], packages: [Target.Dependency]) -> Target {
  integration(
    name, folder: "Integration/Combinations", links: products, packages: ["IntegrationReport"] + packages)
}

/// Returns an executable that uses some products on the embedded backend. The first is the one that it tries
/// out. StoreSync requires Store, so "StoreSync" names both.
func combination(_ products: [String]) -> Target {
  combination(
    named: products.joined().replacing("StoreStoreSync", with: "StoreSync")
      + (products.count == 1 ? "Alone" : ""),
    links: products + ["Embedded"], packages: [.init(stringLiteral: "\(products[0])Features")])
}

/// Returns the module that tries out a product in the same way in all of its combinations. It must link no
/// other product, so that the others can be absent.
func features(of product: String, on backend: [String] = [], imports: [Target.Dependency] = []) -> Target {
  .target(
    name: "\(product)Features",
    dependencies: ["IntegrationReport"]
      + (["Foundation", "Core", product] + backend).map { .init(stringLiteral: "Tenon\($0)") } + imports,
    path: "Integration/Features/\(product)/Sources", swiftSettings: strict)
}

/// Returns a development tool: an executable that no product declares.
func tool(
  _ name: String, executable: String, links: [Import] = [], packages: [Target.Dependency] = [],
  resources: [Resource]? = nil
) -> Target {
  .executableTarget(
    name: executable, dependencies: links.map(\.dependency) + packages,
    path: "Tools/\(name)/Sources",
    resources: resources, swiftSettings: strict)
}

/// Returns a module of the samples in the documentation.
func sample(_ name: String, imports: [Target.Dependency] = []) -> Target {
  .target(
    name: name, dependencies: imports, path: "Documentation/Samples/\(name)/Sources", swiftSettings: strict)
}

/// Returns the tests of a module, which may import it, what it imports, and what all tests use.
func tests(_ area: String, _ name: String, module: String, imports: [Import] = []) -> Target {
  let always: [Import] = [
    .foundation, .core("Testing"), .core("TestSupport"), .core("Processes"), .target("TestProcess"),
  ]
  var used: [String: Import] = [:]
  for module in [.target(module)] + always + imports { used[module.name] = module }
  return .testTarget(
    name: "\(kebabless(module))Tests",
    dependencies: used.values.sorted { $0.name < $1.name }.map(\.dependency),
    path: "\(area)/\(name)/Tests", swiftSettings: strict)
}

/// Returns the executable's name for a combination, for example `functions-appcheck` for `FunctionsAppCheck`.
func kebab(_ name: String) -> String {
  name.replacing("AppCheck", with: "Appcheck").reduce(into: "") { result, letter in
    if letter.isUppercase, !result.isEmpty { result.append("-") }
    result.append(contentsOf: letter.lowercased())
  }
}

func kebabless(_ name: String) -> String {
  name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
}
