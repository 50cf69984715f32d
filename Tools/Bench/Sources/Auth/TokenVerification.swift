#if os(Linux)
  import Foundation
  import TenonAdmin
  import TenonCore
  import TenonFoundation
  import TenonSignatures
  import TenonTransportInterop

  /// The verification of an ID token whose key is known.
  enum TokenVerification {
    /// Measures a verification, and its ratio to the check of the signature alone.
    static func measure(_ comparison: Comparison) async throws -> Measurement {
      let key = try SampleKey()
      let app = try App.configure(
        name: "verification", options: AppOptions(projectID: "bench"), libraries: [AdminLibrary.self]
      ) {
        Component((any TransportInterop).self) { _ in key.published }
      }
      let admin = try Admin.admin(app: app)
      let token = try key.token()
      let parts = token.split(separator: ".")
      guard parts.count == 3, let signature = Base64URL.decode(String(parts[2])) else {
        throw UnexpectedResult()
      }
      let signed = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
      let bytes = [UInt8](signature)
      let publicKey = key.publicKey
      let measurement = try await comparison(
        "verify-id-token",
        [
          WaitingContender(name: "tenon") { count in
            for _ in 0..<count { keep(try await admin.verifyIDToken(token)) }
          },
          WaitingContender(name: "signature alone") { count in
            for _ in 0..<count where !publicKey.isValid(bytes, of: signed) { throw UnexpectedResult() }
          },
        ])
      await app.delete()
      return measurement
    }
  }

  /// Something that was prepared for a measurement isn't as expected.
  struct UnexpectedResult: Error {}

  /// A new RSA key of 2048 bits, and an issuer that publishes it as Google does.
  private struct SampleKey {
    let publicKey: PublicKey
    private let privateKey: PrivateKey
    private let modulus: [UInt8]

    /// Creates a key with `openssl`, because Tenon creates none.
    init() throws {
      func openssl(_ arguments: [String]) throws -> String {
        let process = ChildProcess(
          name: "openssl", program: URL(filePath: "/usr/bin/openssl"), arguments: arguments, hidesErrors: true
        )
        return String(decoding: try process.run().output, as: UTF8.self)
      }
      let pem = try openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"])
      let file = FileManager.default.temporaryDirectory.appending(path: "tenon-bench-\(UUID()).pem")
      try Data(pem.utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let line = try openssl(["rsa", "-in", file.path, "-noout", "-modulus"])
      let digits = Array((line.split(separator: "=").last ?? "").filter(\.isHexDigit))
      modulus = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
        UInt8(String(digits[$0...($0 + 1)]), radix: 16)
      }
      guard let privateKey = try PrivateKey(pem: pem, .rs256),
        let publicKey = try PublicKey(modulus: modulus, exponent: [1, 0, 1])
      else { throw UnexpectedResult() }
      (self.privateKey, self.publicKey) = (privateKey, publicKey)
    }

    /// Returns an ID token that was issued a minute ago, with claims as Firebase's have.
    func token() throws -> String {
      let now = Int(Date().timeIntervalSince1970)
      let header = #"{"alg":"RS256","kid":"key","typ":"JWT"}"#
      let claims = """
        {"name":"Ada Lovelace","picture":"https://example.com/ada.png","role":"editor","iss":"https://securetoken.google.com/bench",\
        "aud":"bench","auth_time":\(now - 60),"user_id":"2vqXb8F0kGXq2vqXb8F0kGXq2vqX","sub":"2vqXb8F0kGXq2vqXb8F0kGXq2vqX",\
        "iat":\(now - 60),"exp":\(now + 3_540),"email":"ada@example.com","email_verified":true,\
        "firebase":{"identities":{"email":["ada@example.com"]},"sign_in_provider":"password"}}
        """
      let text = [header, claims].map { Base64URL.encode(Data($0.utf8)) }.joined(separator: ".")
      guard let signature = privateKey.signature(of: Array(text.utf8)) else { throw UnexpectedResult() }
      return "\(text).\(Base64URL.encode(Data(signature)))"
    }

    /// The issuer.
    var published: some TransportInterop { Issuer(modulus: Base64URL.encode(Data(modulus))) }

    private struct Issuer: TransportInterop {
      let modulus: String

      func send(_ request: TransportRequest) async throws -> TransportResponse {
        let keys =
          #"{"keys":[{"kid":"key","kty":"RSA","use":"sig","alg":"RS256","n":"\#(modulus)","e":"AQAB"}]}"#
        let headers = HTTPHeaders([HTTPHeader(name: "Cache-Control", value: "public, max-age=20000")])
        return TransportResponse(status: 200, headers: headers, body: Data(keys.utf8))
      }

      func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
        throw TransportError(.unreachable, "Keys aren't streamed.")
      }
    }
  }
#endif
