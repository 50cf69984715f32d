import Foundation
import TenonCore

/// Where an app's functions are.
struct FunctionsEndpoint: Sendable {
  private let projectID: String
  private let emulator: String?

  init(_ options: AppOptions) {
    projectID = options.projectID
    if case .emulator(let hosts) = options.backend { emulator = hosts.functions } else { emulator = nil }
  }

  /// The URL of a function: `https://REGION-PROJECT.cloudfunctions.net/NAME`, with the emulator
  /// `http://HOST/PROJECT/REGION/NAME`.
  ///
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` for a name that can't be one.
  func url(_ name: String, region: String) throws(FunctionsError) -> URL {
    let base =
      emulator.map { "http://\($0)/\(projectID)/\(region)" }
      ?? "https://\(region)-\(projectID).cloudfunctions.net"
    // Names of grouped functions have hyphens; a slash leads to a path of an HTTP function's.
    guard name.wholeMatch(of: /[A-Za-z0-9_\/-]+/) != nil, let url = URL(string: "\(base)/\(name)") else {
      throw FunctionsError(
        .invalidArgument,
        "\"\(name)\" is not the name of a function: it takes letters, digits, \"-\", \"_\" and \"/\"."
      )
    }
    return url
  }
}
