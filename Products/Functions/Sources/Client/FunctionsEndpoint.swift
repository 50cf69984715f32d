import TenonCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The location of an app's functions.
struct FunctionsEndpoint: Sendable {
  /// The ID of the app's project.
  private let projectID: String
  /// The host and port of the emulator; `nil` in production.
  private let emulator: String?

  /// Creates the location from the app's options. Without an emulator for functions, the URLs are those of production.
  init(_ options: AppOptions) {
    projectID = options.projectID
    if case .emulator(let hosts) = options.backend { emulator = hosts.functions } else { emulator = nil }
  }

  /// Returns the URL of a function: `https://REGION-PROJECT.cloudfunctions.net/NAME`, or with the emulator
  /// `http://HOST/PROJECT/REGION/NAME`.
  ///
  /// - Parameters:
  ///   - name: the function's name: ASCII letters, digits, hyphens, underscores and slashes.
  ///   - region: a valid name of a region.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if the name is malformed.
  func url(_ name: String, region: String) throws(FunctionsError) -> URL {
    let base =
      emulator.map { "http://\($0)/\(projectID)/\(region)" }
      ?? "https://\(region)-\(projectID).cloudfunctions.net"
    // The names of grouped functions contain hyphens. A slash separates the path within an HTTP function.
    guard name.wholeMatch(of: /[A-Za-z0-9_\/-]+/) != nil, let url = URL(string: "\(base)/\(name)") else {
      throw FunctionsError(
        .invalidArgument,
        "\"\(name)\" is not the name of a function. Names consist of letters, digits, \"-\", \"_\" and \"/\"."
      )
    }
    return url
  }
}
