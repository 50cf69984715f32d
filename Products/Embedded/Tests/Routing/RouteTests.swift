import Foundation
import TenonTestSupport
import Testing

@testable import TenonEmbedded

@Suite(.limited) struct RouteTests {
  @Test(arguments: [
    (
      "https://identitytoolkit.googleapis.com/v1/accounts:lookup?key=k", Route.Service.accounts,
      ["v1", "accounts:lookup"]
    ),
    ("https://securetoken.googleapis.com/v1/token", .tokens, ["v1", "token"]),
    ("http://[::1]:9099/securetoken.googleapis.com/v1/token", .tokens, ["v1", "token"]),
    (
      "https://www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPassword", .accounts,
      ["v3", "relyingparty", "verifyPassword"]
    ),
    ("https://europe-west1-demo.cloudfunctions.net/f", .functions(region: "europe-west1"), ["f"]),
    ("http://localhost:5001/demo/us-central1/f", .functions(region: "us-central1"), ["f"]),
    (
      "https://firebasestorage.googleapis.com:443/v0/b/demo.appspot.com/o/a%2Fb%20c.txt?alt=media", .objects,
      ["v0", "b", "demo.appspot.com", "o", "a/b c.txt"]
    ),
    ("http://127.0.0.1:9199/v0/b/demo/o", .objects, ["v0", "b", "demo", "o"]),
    ("tenon-embedded://storage/v0/b/demo/o/a%20b?alt=media", .objects, ["v0", "b", "demo", "o", "a b"]),
    (
      "http://localhost:8080/v1/projects/demo/databases/d/documents/a%3Ab:runQuery", .documents,
      ["v1", "projects", "demo", "databases", "d", "documents", "a:b:runQuery"]
    ),
    (
      "http://localhost:8080/emulator/v1/projects/demo/databases/d/documents", .documentEmulator,
      ["emulator", "v1", "projects", "demo", "databases", "d", "documents"]
    ),
    (
      "https://firestore.googleapis.com/google.firestore.v1.Firestore/Listen/channel?VER=8",
      .channel(.listen), ["google.firestore.v1.Firestore", "Listen", "channel"]
    ),
  ])
  func aURLIsRoutedToItsService(url: String, service: Route.Service, path: [String]) throws {
    let url = try #require(URL(string: url))
    let route = try #require(Route(url, projectID: "demo"))
    #expect(route.service == service)
    #expect(route.path == path)
  }

  @Test func documentsAndChannelsReceiveTheTextOfTheURL() throws {
    let text = "http://localhost:8080/v1/projects/demo/databases/d/documents/a%3Ab/c?m=1&m=%2F"
    let url = try #require(URL(string: text))
    let route = try #require(Route(url, projectID: "demo"))
    #expect(route.encodedPath == "/v1/projects/demo/databases/d/documents/a%3Ab/c")
    #expect(route.encodedQuery == "m=1&m=%2F")
    #expect(route.query.isEmpty)
  }

  @Test(arguments: [
    "https://us-central1-other.cloudfunctions.net/f", "http://localhost:5001/other/us-central1/f",
    "https://www.googleapis.com/drive/v3/files", "https://example.com/",
  ])
  func aURLOfAnotherProjectOrServiceHasNoRoute(url: String) throws {
    let url = try #require(URL(string: url))
    #expect(Route(url, projectID: "demo") == nil)
  }

  /// Paths of other services are no buckets of the XML API.
  @Test(arguments: [
    "http://localhost:9199/v1/b/o", "http://localhost:9199/v1beta1/x", "https://www.googleapis.com/b/o",
    "http://localhost:9199/identitytoolkit.googleapis.com/x", "http://localhost:9199/google.rpc.A/b",
    "http://localhost:9199/", "http://localhost:9199//o", "http://localhost:9199/%FF/o",
    "https://us-central1-demo.cloudfunctions.net/f",
  ])
  func aPathOfAnotherServiceIsNoBucket(url: String) throws {
    #expect(Route(xml: try #require(URL(string: url))) == nil)
  }
}
