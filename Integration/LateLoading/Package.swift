// swift-tools-version: 6.2
import PackageDescription

// A package as a user has it who loads libraries at run time (R11): hosts, and plugins that they load by
// their paths. The tests of Integration build this package and run the hosts.

let shared: Target.Dependency = .product(name: "SharedCore", package: "SharedCore")
let own: Target.Dependency = .product(name: "TenonCore", package: "tenon")
let sharedPlugins = ["Payments", "Refunds", "Colliding", "Pair", "Screens"]

let package = Package(
  name: "late-loading",
  platforms: [.macOS(.v15)],
  products: (sharedPlugins + ["Vendor"]).map { .library(name: $0, type: .dynamic, targets: [$0]) },
  dependencies: [.package(path: "SharedCore"), .package(name: "tenon", path: "../..")],
  targets: sharedPlugins.map { .target(name: $0, dependencies: [shared]) } + [
    .executableTarget(name: "SharedHost", dependencies: [shared]),
    // These two contain a copy of Core.
    .executableTarget(name: "WholeHost", dependencies: [own]),
    .target(name: "Vendor", dependencies: [own]),
  ],
  swiftLanguageModes: [.v6]
)
