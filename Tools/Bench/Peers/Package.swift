// swift-tools-version: 6.2
import PackageDescription

// HTTP clients that `tenon-bench transport` measures as processes. This is a separate package so that neither
// users of Tenon nor its own builds fetch async-http-client.

let package = Package(
  name: "bench-peers",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://github.com/swift-server/async-http-client", from: "1.33.1")],
  targets: [
    .executableTarget(
      name: "async-http-client-peer",
      dependencies: [.product(name: "AsyncHTTPClient", package: "async-http-client")],
      path: "Sources/AsyncHTTPClient"),
    .executableTarget(name: "urlsession-peer", path: "Sources/URLSession"),
  ],
  swiftLanguageModes: [.v6]
)
