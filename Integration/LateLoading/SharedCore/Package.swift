// swift-tools-version: 6.2
import PackageDescription

// Core as one shared library, and with it the interfaces that the host and its plugins have in common: a type is a key
// only where both mean the same one. It is a package of its own, because SwiftPM links targets of one package statically.

let package = Package(
  name: "SharedCore",
  platforms: [.macOS(.v15)],
  products: [.library(name: "SharedCore", type: .dynamic, targets: ["SharedCore"])],
  dependencies: [.package(name: "tenon", path: "../../..")],
  targets: [
    .target(name: "SharedCore", dependencies: [.product(name: "TenonCore", package: "tenon")])
  ],
  swiftLanguageModes: [.v6]
)
