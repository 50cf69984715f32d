// swift-tools-version: 6.2
import PackageDescription

// Core as one shared library, together with the interfaces that the host and its plugins share: a type is a
// key only if both use the same one. This is a separate package, because SwiftPM links the targets of one
// package statically.

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
