// The signed-in user in Vapor 4. Written by `tenon new adapter vapor`; change it as you like.
//
// This file isn't compiled in Tenon's repository, which doesn't depend on Vapor. The one for Hummingbird, which
// does the same, is compiled and tested there.
//
//   app.grouped(try UserMiddleware(app: tenon)).get("cart") { request in
//     try request.auth.require(SignedInUser.self).token.uid
//   }

package import TenonAdmin
package import TenonCore
package import Vapor

/// The user who sent a request, and the container of the request: a child of the app's with the user's
/// `DecodedIDToken`, which `@Injected` finds until the handler has returned.
package struct SignedInUser: Authenticatable {
  package let token: DecodedIDToken
  package let container: ComponentContainer
}

/// Verifies the ID token in `Authorization: Bearer …`, and if wanted, the App Check token.
package struct UserMiddleware: AsyncMiddleware {
  private let container: ComponentContainer
  private let admin: Admin
  private let requiresAppCheck: Bool

  /// - Parameters:
  ///   - app: the app of Tenon, in which TenonAdmin is linked.
  ///   - requiresAppCheck: whether `X-Firebase-AppCheck` must have a token of one of the project's apps.
  package init(app: App, requiresAppCheck: Bool = false) throws {
    container = app.container
    admin = try Admin.admin(app: app)
    self.requiresAppCheck = requiresAppCheck
  }

  package func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
    let user: DecodedIDToken
    do {
      if requiresAppCheck {
        _ = try await admin.verifyAppCheckToken(request.headers.first(name: "X-Firebase-AppCheck") ?? "")
      }
      guard let bearer = request.headers.bearerAuthorization else {
        return try await next.respond(to: request)
      }
      user = try await admin.verifyIDToken(bearer.token)
    } catch let error as AdminError {
      let isOurs = [.networkError, .certificateFetchFailed, .cryptographyUnavailable].contains(error.code)
      if isOurs { throw Abort(.serviceUnavailable, reason: "The token can't be verified now.") }
      throw Abort(.unauthorized, headers: ["WWW-Authenticate": "Bearer"], reason: error.code.rawValue)
    }
    let child = try container.child { Component(DecodedIDToken.self) { _ in user } }
    request.auth.login(SignedInUser(token: user, container: child))
    do {
      let response = try await ComponentContainer.withCurrent(child) {
        try await next.respond(to: request)
      }
      await child.delete()
      return response
    } catch {
      await child.delete()
      throw error
    }
  }
}
