import Foundation
import TenonCore
import TenonEmbedded
import TenonRules
import TenonTransportInterop

/// Writes of a user through the embedded backend's server, with and without Security Rules.
enum RuledWrites {
  /// The largest ratio that the design allows.
  private static let limit = 1.2

  /// Measures a write with rules, and its ratio to one without.
  static func measure(_ comparison: Comparison) async throws -> Measurement {
    let (ruled, open) = (try Writer(named: "ruled"), try Writer(named: "open"))
    ruled.embedded.documentSecurityRules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents {
            match /users/{user} {
              allow create: if request.auth.uid == user;
              allow update: if request.auth.uid == user
                && request.resource.data.diff(resource.data).affectedKeys().hasOnly(['name', 'age'])
                && request.resource.data.name is string && request.resource.data.name.size() < 20;
            }
          }
        }
        """)
    var measurement = try await comparison(
      "write-with-rules",
      [
        WaitingContender(name: "with rules") { count in try await ruled.write(count) },
        WaitingContender(name: "without rules") { count in try await open.write(count) },
      ])
    measurement.limits = ["without rules": limit]
    await ruled.app.delete()
    await open.app.delete()
    return measurement
  }
}

/// A write that failed, so that its time would mean nothing.
private struct WriteFailure: Error {
  /// The status of the response.
  let status: Int
}

/// A client of an embedded backend in memory.
private struct Writer {
  let app: App
  let embedded: Embedded
  private let request: TransportRequest

  init(named name: String) throws {
    app = try App.configure(
      name: name, options: AppOptions(projectID: "bench", backend: .embedded(directory: nil)))
    embedded = try Embedded.embedded(app: app)
    func part(_ json: String) -> String {
      Data(json.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    let claims =
      #"{"iss":"https://securetoken.google.com/bench","aud":"bench","sub":"ann","user_id":"ann","iat":1700000000,"auth_time":1700000000,"exp":4000000000}"#
    let token = "\(part(#"{"alg":"none","typ":"JWT"}"#)).\(part(claims))."
    let root = "projects/bench/databases/(default)/documents"
    let body =
      #"{"writes":[{"update":{"name":"\#(root)/users/ann","fields":{"name":{"stringValue":"Ann"},"age":{"integerValue":"7"}}}}]}"#
    guard let url = URL(string: "http://127.0.0.1:8080/v1/\(root):commit") else {
      throw WriteFailure(status: 0)
    }
    request = TransportRequest(
      .post, url,
      headers: HTTPHeaders([
        HTTPHeader(name: "Authorization", value: "Bearer \(token)"),
        HTTPHeader(name: "Content-Type", value: "application/json"),
      ]), body: .data(Data(body.utf8)))
  }

  /// Writes a document a number of times.
  func write(_ count: Int) async throws {
    for _ in 0..<count {
      let response = try await embedded.send(request)
      guard response.status == 200 else { throw WriteFailure(status: response.status) }
    }
  }
}
