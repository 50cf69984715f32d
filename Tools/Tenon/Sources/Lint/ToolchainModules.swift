/// The modules that come with the toolchain or the operating system. All modules may import them.
enum ToolchainModules {
  static let names: Set<String> = [
    "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Observation",
    "Synchronization", "Glibc", "Musl", "Darwin", "WinSDK", "ucrt", "Android", "Security", "CommonCrypto",
    "Combine",
  ]
}
