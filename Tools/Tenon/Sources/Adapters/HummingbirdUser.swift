// The signed-in user in Hummingbird. Written by `tenon new adapter hummingbird`; change it as you like.
//
//   struct ShopContext: UserRequestContext {
//     var coreContext: CoreRequestContextStorage
//     var user: DecodedIDToken?
//     var container: ComponentContainer?
//     init(source: Source) { coreContext = .init(source: source) }
//   }
//   Router(context: ShopContext.self).group().add(middleware: try UserMiddleware(app: app))
//     .get("cart") { _, context in try context.signedIn.uid }

package import Hummingbird
package import TenonAdmin
package import TenonCore

/// A request's context with the user who sent it.
package protocol UserRequestContext: RequestContext {
  /// The claims of the user's ID token; `nil` for a request without one.
  var user: DecodedIDToken? { get set }
  /// The container of the request, a child of the app's with the user's `DecodedIDToken`. `@Injected` and
  /// `ComponentContainer.withCurrent` find it until the handler has returned.
  var container: ComponentContainer? { get set }
}

extension UserRequestContext {
  /// The user. Throws an error with status 401 if the request has none.
  package var signedIn: DecodedIDToken {
    get throws {
      guard let user else { throw HTTPError(.unauthorized, message: "Sign in first.") }
      return user
    }
  }
}

/// Verifies the ID token in `Authorization: Bearer …`, and if wanted, the App Check token.
package struct UserMiddleware<Context: UserRequestContext>: RouterMiddleware {
  private let container: ComponentContainer
  private let admin: Admin
  private let requiresAppCheck: Bool

  /// - Parameters:
  ///   - app: the app, in which TenonAdmin is linked.
  ///   - requiresAppCheck: whether `X-Firebase-AppCheck` must have a token of one of the project's apps.
  package init(app: App, requiresAppCheck: Bool = false) throws {
    container = app.container
    admin = try Admin.admin(app: app)
    self.requiresAppCheck = requiresAppCheck
  }

  package func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    var context = context
    do {
      if requiresAppCheck {
        _ = try await admin.verifyAppCheckToken(request.headers[.init("X-Firebase-AppCheck")!] ?? "")
      }
      let header = request.headers[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
      if header.count == 2, header[0].lowercased() == "bearer" {
        context.user = try await admin.verifyIDToken(String(header[1]))
      }
    } catch let error as AdminError {
      let isOurs = [.networkError, .certificateFetchFailed, .cryptographyUnavailable].contains(error.code)
      if isOurs { throw HTTPError(.serviceUnavailable, message: "The token can't be verified now.") }
      throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"], message: error.code.rawValue)
    }
    guard let user = context.user else { return try await next(request, context) }
    let child = try container.child { Component(DecodedIDToken.self) { _ in user } }
    context.container = child
    do {
      let response = try await ComponentContainer.withCurrent(child) { try await next(request, context) }
      await child.delete()
      return response
    } catch {
      await child.delete()
      throw error
    }
  }
}
