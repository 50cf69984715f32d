import TenonCore
import TenonFoundation
import TenonTransport

/// The location of an app's functions in a region or at a custom domain.
struct FunctionsEndpoint: Sendable {
  /// The beginning of the URLs of all functions, without a slash at the end.
  private let base: String

  /// Creates a location from the app's options. Without an emulator for functions, the URLs are those of
  /// production.
  ///
  /// The emulator and the embedded backend take precedence over a custom domain, so that an app under
  /// development never reaches production.
  ///
  /// - Parameters:
  ///   - options: the options of the app.
  ///   - project: the ID of the project.
  ///   - region: a valid name of a region.
  ///   - customDomain: a valid custom domain (``customDomain(_:)``); `nil` for none.
  init(_ options: AppOptions, project: String, region: String, customDomain: String?) {
    let domain = "https://\(region)-\(project).cloudfunctions.net"
    switch options.backend {
    case .emulator(let hosts):
      base = hosts.functions.map { "http://\($0)/\(project)/\(region)" } ?? customDomain ?? domain
    case .embedded: base = domain
    default: base = customDomain ?? domain
    }
  }

  /// Returns the URL of a function: `https://REGION-PROJECT.cloudfunctions.net/NAME`, with a custom domain
  /// `DOMAIN/NAME`, and with the emulator `http://HOST/PROJECT/REGION/NAME`.
  ///
  /// - Parameter name: the function's name: ASCII letters, digits, hyphens, underscores and slashes.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if the name is malformed.
  func url(_ name: String) throws(FunctionsError) -> URL {
    // The names of grouped functions contain hyphens. A slash separates the path within an HTTP function.
    guard name.wholeMatch(of: /[A-Za-z0-9_\/-]+/) != nil, let url = URL(string: "\(base)/\(name)") else {
      throw FunctionsError(
        .invalidArgument,
        "\"\(name)\" isn't the name of a function. Names consist of letters, digits, \"-\", \"_\" and \"/\"."
      )
    }
    return url
  }

  /// Returns a custom domain without slashes at its end, so that equal domains have equal texts.
  ///
  /// - Parameter text: a URL of the scheme `https` or `http`, which may have a path.
  /// - Throws: ``FunctionsError`` with ``FunctionsError/Code/invalidArgument`` if it is anything else.
  static func customDomain(_ text: String) throws(FunctionsError) -> String {
    let domain = text.trimmed { $0 == "/" }
    guard let url = URL(string: domain), isService(url), url.query() == nil, !domain.contains("?") else {
      throw FunctionsError(
        .invalidArgument,
        "The custom domain isn't a URL with a scheme and a host. Write it as https://api.example.com, without a query."
      )
    }
    return domain
  }

  /// Returns whether a URL can be that of a function: an absolute `https` or `http` URL without credentials
  /// and fragment.
  static func isService(_ url: URL) -> Bool {
    Origin(url) != nil && url.user() == nil && url.password() == nil && url.fragment() == nil
  }
}
