import TenonFoundation
import TenonJSON
import TenonTransportInterop

/// Listing all users.
extension Admin {
  /// Returns the users of the project in the order of the server, which loads them page by page as they are
  /// read.
  ///
  /// ```swift
  /// for try await user in admin.listUsers() {
  ///   print(user.uid, user.email ?? "no address")
  /// }
  /// ```
  ///
  /// Each iteration reads the list from its beginning. Users that are created or deleted during it may be left out.
  ///
  /// - Parameters:
  ///   - maxResults: the number of users in a page, 1 to 1,000, which is the default.
  ///   - pageToken: where to begin: ``UserPage/pageToken`` of an earlier page; with the first user if `nil`.
  /// - Returns: the users, and their ``UserList/pages``. Reading them throws ``AdminError``.
  public func listUsers(maxResults: Int = 1_000, pageToken: String? = nil) -> UserList {
    UserList(pages: UserList.Pages(admin: self, maxResults: maxResults, pageToken: pageToken))
  }

  /// Returns one page of users.
  fileprivate func page(maxResults: Int, token: String?) async throws -> UserPage {
    guard (1...1_000).contains(maxResults) else {
      throw AdminError(.argumentError, "A page has 1 to 1,000 users, and not \(maxResults).")
    }
    guard token?.isEmpty != true else {
      throw AdminError(.invalidPageToken, "The page token is empty. Pass nil to begin with the first page.")
    }
    let answer = try await send(
      ServerRequest(
        method: .get, suffix: "/accounts:batchGet",
        query: FormText(["maxResults": String(maxResults), "nextPageToken": token]), isRepeatable: true))
    let next = answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    guard next == nil || next != token else {
      throw AdminError(
        .internalError, "The server for accounts sends the same page of users again. Try again later.")
    }
    return UserPage(users: try (answer["users"]?.array ?? []).map { try UserRecord($0) }, pageToken: next)
  }
}

/// A page of ``UserList``.
public struct UserPage: Sendable, Hashable {
  /// The users of the page; there may be none.
  public let users: [UserRecord]
  /// The token with which ``Admin/listUsers(maxResults:pageToken:)`` begins with the next page; `nil` if this
  /// is the last one.
  public let pageToken: String?
}

/// The users of ``Admin/listUsers(maxResults:pageToken:)``.
public struct UserList: AsyncSequence, Sendable {
  /// A user.
  public typealias Element = UserRecord
  /// ``AdminError`` or `CancellationError`.
  public typealias Failure = any Error

  /// The users page by page, with the tokens by which a later call continues.
  public let pages: Pages

  /// Begins with the first user.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

  /// Reads one user after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var pages: Pages.AsyncIterator
    private var users: ArraySlice<UserRecord> = []

    fileprivate init(pages: Pages.AsyncIterator) { self.pages = pages }

    /// Returns the next user; `nil` after the last one. Loads a page if necessary.
    ///
    /// - Throws: ``AdminError``; `CancellationError`.
    public mutating func next() async throws -> UserRecord? {
      while users.isEmpty {
        guard let page = try await pages.next() else { return nil }
        users = page.users[...]
      }
      return users.popFirst()
    }
  }

  /// The pages of a list.
  public struct Pages: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = UserPage
    /// ``AdminError`` or `CancellationError`.
    public typealias Failure = any Error

    fileprivate let admin: Admin
    fileprivate let maxResults: Int
    fileprivate let pageToken: String?

    /// Begins with the first page.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: self, token: pageToken) }

    /// Loads one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private let pages: Pages
      private var token: String?
      private var isOver = false

      fileprivate init(pages: Pages, token: String?) {
        self.pages = pages
        self.token = token
      }

      /// Loads the next page; `nil` after the last one. After an error, the next call tries the same page
      /// again.
      ///
      /// - Throws: ``AdminError``; `CancellationError`.
      public mutating func next() async throws -> UserPage? {
        guard !isOver else { return nil }
        let page = try await pages.admin.page(maxResults: pages.maxResults, token: token)
        token = page.pageToken
        isOver = token == nil
        return page
      }
    }
  }
}
