import TenonFoundation
import TenonTransportInterop

/// The files of the data browser, which are part of this program.
///
/// They have no data, so they are served without the token. The policy admits only the scripts and the style
/// of this server, no markup from scripts (Trusted Types), and no page that shows this one in a frame.
enum BrowserPage {
  /// The page itself.
  static var index: TransportStreamingResponse {
    response(200, "text/html; charset=utf-8", PackageResources.page_html)
  }

  /// The page for a request without the token, which says how to get the address.
  static var locked: TransportStreamingResponse {
    response(401, "text/html; charset=utf-8", PackageResources.locked_html)
  }

  /// Returns a script or the style; `nil` if there is no file of that name.
  static func file(_ name: String) -> TransportStreamingResponse? {
    guard let content = files[name] else { return nil }
    let type = name.hasSuffix(".css") ? "text/css" : "text/javascript"
    return response(200, "\(type); charset=utf-8", content)
  }

  private static let files: [String: [UInt8]] = [
    "browser.css": PackageResources.browser_css,
    "main.js": PackageResources.main_js,
    "backend.js": PackageResources.backend_js,
    "elements.js": PackageResources.elements_js,
    "values.js": PackageResources.values_js,
    "tree.js": PackageResources.tree_js,
    "filter.js": PackageResources.filter_js,
    "document.js": PackageResources.document_js,
    "documents.js": PackageResources.documents_js,
    "importer.js": PackageResources.importer_js,
    "users.js": PackageResources.users_js,
    "objects.js": PackageResources.objects_js,
    "functions.js": PackageResources.functions_js,
    "rules.js": PackageResources.rules_js,
  ]

  /// The policy of all answers of the browser.
  static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src blob:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    "require-trusted-types-for 'script'", "trusted-types 'none'",
  ].joined(separator: "; ")

  private static func response(
    _ status: Int, _ type: String, _ content: [UInt8]
  ) -> TransportStreamingResponse {
    // The address has the token, so it is neither cached nor sent as a referrer, and a page that a function
    // returns can't reach the window.
    let fields = [
      ("Content-Type", type), ("Content-Length", String(content.count)), ("Content-Security-Policy", policy),
      ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    return TransportStreamingResponse(
      status: status, headers: HTTPHeaders(fields.map { HTTPHeader(name: $0.0, value: $0.1) }),
      body: AsyncThrowingStream { continuation in
        continuation.yield(Data(content))
        continuation.finish()
      })
  }
}
