import Foundation
import TenonCore
import TenonFoundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonAdmin

/// What is sent to the server for accounts.
@Suite(.limited) struct UserRequestTests {
  private func fixture(_ answers: [String: [JSON]] = [:]) throws -> AdminFixture {
    let fixture = try AdminFixture(backend: .emulator(EmulatorHosts(auth: "127.0.0.1:9099")))
    fixture.server.withLock { server in
      server.users = [["localId": "ada", "email": "ada@example.com"]]
      server.answers = answers
    }
    return fixture
  }

  @Test func aUserIsCreatedAndLookedUp() async throws {
    let fixture = try fixture(["accounts": [["localId": "ada"]]])
    let user = try await fixture.admin.createUser(
      UserRequest(
        uid: "ada", email: "ada@example.com", isEmailVerified: true, password: "lovelace", displayName: "Ada",
        photoURL: URL(string: "https://example.com/ada.png"), phoneNumber: "+15550100", isDisabled: false))
    #expect(user.uid == "ada")
    let body = try fixture.bodies("accounts")
    #expect(
      body == [
        [
          "localId": "ada", "email": "ada@example.com", "emailVerified": true, "password": "lovelace",
          "displayName": "Ada", "photoUrl": "https://example.com/ada.png", "phoneNumber": "+15550100",
          "disabled": false,
        ]
      ])
    #expect(try fixture.bodies("accounts:lookup") == [["localId": ["ada"]]])
    let prefix = "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/projects/demo/accounts"
    #expect(fixture.requests == [prefix, "\(prefix):lookup"])
    #expect(fixture.transport.requests.allSatisfy { $0.headers["Authorization"] == "Bearer owner" })
  }

  @Test func anUpdateSetsAndClearsProperties() async throws {
    let fixture = try fixture(["accounts:update": [["localId": "ada"]]])
    let google = UserProvider(providerID: "google.com", uid: "g1", email: "ada@gmail.com")
    try await fixture.admin.updateUser(
      withUID: "ada",
      UserUpdate(
        email: "countess@example.com", isDisabled: true, clearing: [.displayName, .photoURL, .phoneNumber],
        providerToLink: google, providersToUnlink: ["github.com"]))
    #expect(
      try fixture.bodies("accounts:update") == [
        [
          "localId": "ada", "email": "countess@example.com", "disableUser": true,
          "deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"], "deleteProvider": ["github.com", "phone"],
          "linkProviderUserInfo": [
            "providerId": "google.com", "rawId": "g1", "email": "ada@gmail.com",
          ],
        ]
      ])
  }

  @Test func severalKindsOfIdentifiersAreLookedUpAtOnce() async throws {
    let fixture = try fixture()
    let identifiers: [UserIdentifier] = [
      .uid("ada"), .uid("eve"), .email("ADA@example.com"), .phoneNumber("+1 555 0100"),
      .provider("google.com", uid: "g1"), .provider("phone", uid: "+15550101"),
    ]
    let result = try await fixture.admin.getUsers(identifiers)
    #expect(
      try fixture.bodies("accounts:lookup") == [
        [
          "localId": ["ada", "eve"], "email": ["ADA@example.com"],
          "phoneNumber": ["+1 555 0100", "+15550101"],
          "federatedUserId": [["providerId": "google.com", "rawId": "g1"]],
        ]
      ])
    #expect(result.users.map(\.uid) == ["ada"])
    #expect(result.notFound == [identifiers[1]] + identifiers[3...])
    let none = try await fixture.admin.getUsers([])
    #expect(none.users.isEmpty && fixture.requests.count == 1)
  }

  @Test func claimsAndRevocationsAreChanges() async throws {
    let fixture = try fixture(["accounts:update": [[:], [:], [:]]])
    try await fixture.admin.setCustomUserClaims(["role": "editor", "a": "b/c"], forUID: "ada")
    try await fixture.admin.setCustomUserClaims([String: String](), forUID: "ada")
    try await fixture.admin.revokeRefreshTokens(forUID: "ada")
    #expect(
      try fixture.bodies("accounts:update") == [
        ["localId": "ada", "customAttributes": #"{"a":"b/c","role":"editor"}"#],
        ["localId": "ada", "customAttributes": "{}"],
        ["localId": "ada", "validSince": "1700000000"],
      ])
  }

  @Test func aSessionCookieIsCreated() async throws {
    let fixture = try fixture(["demo:createSessionCookie": [["sessionCookie": "cookie"], [:]]])
    let cookie = try await fixture.admin.createSessionCookie(
      withIDToken: "secret-token", expiresIn: .milliseconds(300_900))
    #expect(cookie == "cookie")
    #expect(
      try fixture.bodies("demo:createSessionCookie") == [["idToken": "secret-token", "validDuration": "300"]])
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.createSessionCookie(withIDToken: "secret-token", expiresIn: .seconds(1_209_600))
    }
    #expect(error?.code == .internalError)
  }

  @Test func linksAreRequestedWithTheirSettings() async throws {
    let link: JSON = ["oobLink": "https://example.com/?oobCode=x"]
    let fixture = try fixture(["accounts:sendOobCode": [link, link, link, [:]]])
    let settings = Admin.ActionCodeSettings(
      url: try #require(URL(string: "https://example.com/finish")), handleCodeInApp: true,
      iOSBundleID: "com.example", androidPackageName: "com.example.a", androidInstallIfNotAvailable: true,
      androidMinimumVersion: "12", linkDomain: "links.example.com")
    let url = try await fixture.admin.generateSignInWithEmailLink(
      withEmail: "ada@example.com", actionCodeSettings: settings)
    #expect(url.absoluteString == "https://example.com/?oobCode=x")
    _ = try await fixture.admin.generatePasswordResetLink(withEmail: "ada@example.com")
    _ = try await fixture.admin.generateVerifyAndChangeEmailLink(
      withEmail: "ada@example.com", newEmail: "countess@example.com")
    #expect(
      try fixture.bodies("accounts:sendOobCode") == [
        [
          "requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "returnOobLink": true,
          "continueUrl": "https://example.com/finish", "canHandleCodeInApp": true,
          "iOSBundleId": "com.example",
          "androidPackageName": "com.example.a", "androidInstallApp": true, "androidMinimumVersion": "12",
          "linkDomain": "links.example.com",
        ],
        ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true],
        [
          "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "ada@example.com",
          "newEmail": "countess@example.com", "returnOobLink": true,
        ],
      ])
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.generateEmailVerificationLink(withEmail: "eve@example.com")
    }
    #expect(error?.code == .emailNotFound)
  }

  @Test func usersAreListedPageByPage() async throws {
    let pages: [JSON] = [
      ["users": [["localId": "a"], ["localId": "b"]], "nextPageToken": "+/= &"], ["nextPageToken": "c"],
      ["users": [["localId": "d"]], "nextPageToken": ""],
    ]
    let fixture = try fixture(["accounts:batchGet": pages + pages.suffix(1)])
    var users: [String] = []
    for try await user in fixture.admin.listUsers(maxResults: 2) { users.append(user.uid) }
    #expect(users == ["a", "b", "d"])
    #expect(
      fixture.transport.requests.map { $0.url.query(percentEncoded: true) } == [
        "maxResults=2", "maxResults=2&nextPageToken=%2B%2F%3D%20%26", "maxResults=2&nextPageToken=c",
      ])
    var rest = fixture.admin.listUsers(pageToken: "c").pages.makeAsyncIterator()
    let page = try await rest.next()
    #expect(page?.users.map(\.uid) == ["d"] && page?.pageToken == nil)
    #expect(try await rest.next() == nil)
    #expect(
      fixture.transport.requests.last?.url.query(percentEncoded: true) == "maxResults=1000&nextPageToken=c")
  }

  @Test func aServerThatRepeatsAPageEndsTheList() async throws {
    let page: JSON = ["users": [["localId": "a"]], "nextPageToken": "t"]
    let fixture = try fixture(["accounts:batchGet": [page, page, page]])
    let error = await #expect(throws: AdminError.self) {
      for try await _ in fixture.admin.listUsers() {}
    }
    #expect(error?.code == .internalError && fixture.requests.count == 2)
  }

  @Test func batchesReportTheUsersThatFailed() async throws {
    let fixture = try fixture([
      "accounts:batchDelete": [
        ["errors": [["index": 2, "localId": "c", "message": "NOT_DISABLED"], ["message": "first"]]],
        ["errors": [["index": 3]]], ["errors": [["index": 0], ["index": 0]]], ["errors": [["index": "x"]]],
      ]
    ])
    let uids = ["a", "b", "c"]
    let result = try await fixture.admin.deleteUsers(withUIDs: uids)
    #expect(result.successCount == 1 && result.failureCount == 2)
    #expect(
      result.errors.map(\.index) == [0, 2] && result.errors.map(\.message) == ["first", "NOT_DISABLED"])
    #expect(
      try fixture.bodies("accounts:batchDelete") == [["localIds": ["a", "b", "c"], "force": true]])
    for _ in 0..<3 {
      let error = await #expect(throws: AdminError.self) {
        try await fixture.admin.deleteUsers(withUIDs: uids)
      }
      #expect(error?.code == .internalError)
    }
    #expect(try await fixture.admin.deleteUsers(withUIDs: []).successCount == 0)
    #expect(fixture.requests.count == 4)
  }

  private static let key = Data([0xFB, 0xFF, 1])
  private static let hashes: [(UserImportHash, JSON)] = [
    (
      .scrypt(key: key, saltSeparator: Data([0xFF]), rounds: 8, memoryCost: 14),
      [
        "hashAlgorithm": "SCRYPT", "signerKey": "-_8B", "saltSeparator": "_w==", "rounds": 8,
        "memoryCost": 14,
      ]
    ),
    (
      .standardScrypt(memoryCost: 1_024, parallelization: 16, blockSize: 8, derivedKeyLength: 64),
      [
        "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1_024, "parallelization": 16, "blockSize": 8,
        "dkLen": 64,
      ]
    ),
    (.bcrypt, ["hashAlgorithm": "BCRYPT"]),
    (.hmacSHA512(key: key), ["hashAlgorithm": "HMAC_SHA512", "signerKey": "-_8B"]),
    (.hmacSHA256(key: key), ["hashAlgorithm": "HMAC_SHA256", "signerKey": "-_8B"]),
    (.hmacSHA1(key: key), ["hashAlgorithm": "HMAC_SHA1", "signerKey": "-_8B"]),
    (.hmacMD5(key: key), ["hashAlgorithm": "HMAC_MD5", "signerKey": "-_8B"]),
    (.md5(rounds: 0), ["hashAlgorithm": "MD5", "rounds": 0]),
    (.sha1(rounds: 1), ["hashAlgorithm": "SHA1", "rounds": 1]),
    (.sha256(rounds: 8_192), ["hashAlgorithm": "SHA256", "rounds": 8_192]),
    (.sha512(rounds: 2), ["hashAlgorithm": "SHA512", "rounds": 2]),
    (.pbkdfSHA1(rounds: 120_000), ["hashAlgorithm": "PBKDF_SHA1", "rounds": 120_000]),
    (.pbkdf2SHA256(rounds: 100_000), ["hashAlgorithm": "PBKDF2_SHA256", "rounds": 100_000]),
  ]

  @Test(arguments: hashes.indices) func usersAreImportedWithTheirHashes(index: Int) async throws {
    let (hash, members) = Self.hashes[index]
    let fixture = try fixture(["accounts:batchCreate": [["error": [["index": 1, "message": "no"]]]]])
    var ada = UserImportRecord(
      uid: "ada", email: "ada@example.com", isEmailVerified: true, passwordHash: Data([0xFF, 0xFE]),
      passwordSalt: Data([0xFB]), creationDate: Date(timeIntervalSince1970: 1_600_000_000.5),
      providerData: [UserProvider(providerID: "google.com", uid: "g1")])
    try ada.setCustomClaims(["role": "editor"])
    let result = try await fixture.admin.importUsers([ada, UserImportRecord(uid: "eve")], hash: hash)
    #expect(result.successCount == 1 && result.errors.map(\.message) == ["no"])
    let users: JSON = [
      [
        "localId": "ada", "email": "ada@example.com", "emailVerified": true, "passwordHash": "__4=",
        "salt": "-w==", "createdAt": "1600000000500", "customAttributes": #"{"role":"editor"}"#,
        "providerUserInfo": [["providerId": "google.com", "rawId": "g1"]],
      ], ["localId": "eve"],
    ]
    let expected = (members.object ?? [:]).merging(["users": users]) { $1 }
    #expect(try fixture.bodies("accounts:batchCreate") == [.object(expected)])
    #expect(ada.passwordHash == Data([0xFF, 0xFE]) && ada.passwordSalt == Data([0xFB]))
  }

  private static let allowed = UserImportRecord(uid: "a", passwordHash: Data([1]))
  private static let hashesOutsideOfLimits: [UserImportHash] = [
    .scrypt(key: key, rounds: 0, memoryCost: 1), .scrypt(key: key, rounds: 1, memoryCost: 15),
    .md5(rounds: -1), .sha1(rounds: 0), .sha512(rounds: 8_193), .pbkdf2SHA256(rounds: .max),
    .hmacSHA1(key: Data()),
    .standardScrypt(memoryCost: .min, parallelization: 0, blockSize: 0, derivedKeyLength: 0),
  ]

  @Test(arguments: hashesOutsideOfLimits.indices) func parametersOfHashesHaveLimits(index: Int) async throws {
    let fixture = try fixture()
    let error = await #expect(throws: AdminError.self) {
      try await fixture.admin.importUsers([Self.allowed], hash: Self.hashesOutsideOfLimits[index])
    }
    #expect(error?.code == .invalidHashAlgorithm && fixture.requests.isEmpty)
  }

  /// What can be decided here needs no server.
  private static let refused: [(AdminError.Code, @Sendable (Admin) async throws -> Void)] = [
    (.invalidUID, { _ = try await $0.getUser(withUID: "") }),
    (.invalidUID, { _ = try await $0.createUser(UserRequest(uid: String(repeating: "u", count: 129))) }),
    (.invalidUID, { try await $0.deleteUser(withUID: "") }),
    (.invalidUID, { try await $0.deleteUsers(withUIDs: ["a", ""]) }),
    (.invalidUID, { try await $0.revokeRefreshTokens(forUID: "") }),
    (.invalidUID, { _ = try await $0.getUser(withProviderID: "google.com", uid: "") }),
    (.invalidProviderID, { _ = try await $0.getUser(withProviderID: "", uid: "a") }),
    (.invalidProviderID, { try await $0.updateUser(withUID: "a", UserUpdate(providersToUnlink: [""])) }),
    (.invalidEmail, { _ = try await $0.getUser(withEmail: "ada") }),
    (.invalidEmail, { _ = try await $0.createUser(UserRequest(email: "a@b@c")) }),
    (.invalidEmail, { _ = try await $0.generatePasswordResetLink(withEmail: "@b") }),
    (.invalidPhoneNumber, { _ = try await $0.getUser(withPhoneNumber: "15550100") }),
    (.invalidPhoneNumber, { _ = try await $0.createUser(UserRequest(phoneNumber: "+")) }),
    (.invalidPassword, { _ = try await $0.createUser(UserRequest(password: "short")) }),
    (.invalidDisplayName, { try await $0.updateUser(withUID: "a", UserUpdate(displayName: "")) }),
    (.invalidPhotoURL, { try await $0.createUser(UserRequest(photoURL: URL(string: "ada.png"))) }),
    (
      .argumentError,
      { try await $0.updateUser(withUID: "a", UserUpdate(displayName: "A", clearing: [.displayName])) }
    ),
    (
      .argumentError,
      { try await $0.updateUser(withUID: "a", UserUpdate(clearing: [UserUpdate.Property(rawValue: "uid")])) }
    ),
    (
      .argumentError,
      {
        let phone = UserProvider(providerID: "phone", uid: "+15550100")
        try await $0.updateUser(withUID: "a", UserUpdate(providerToLink: phone))
      }
    ),
    (.forbiddenClaim, { try await $0.setCustomUserClaims(["sub": "x"], forUID: "a") }),
    (.invalidClaims, { try await $0.setCustomUserClaims(["x"], forUID: "a") }),
    (.invalidClaims, { try await $0.setCustomUserClaims(["x": Double.nan], forUID: "a") }),
    (
      .claimsTooLarge,
      { try await $0.setCustomUserClaims(["x": String(repeating: "ä", count: 497)], forUID: "a") }
    ),
    (
      .invalidSessionCookieDuration,
      { _ = try await $0.createSessionCookie(withIDToken: "t", expiresIn: .milliseconds(299_999)) }
    ),
    (
      .invalidSessionCookieDuration,
      { _ = try await $0.createSessionCookie(withIDToken: "t", expiresIn: .seconds(1_209_601)) }
    ),
    (.invalidIDToken, { _ = try await $0.createSessionCookie(withIDToken: "", expiresIn: .seconds(300)) }),
    (.maximumUserCountExceeded, { _ = try await $0.getUsers((0...100).map { .uid("\($0)") }) }),
    (.maximumUserCountExceeded, { try await $0.deleteUsers(withUIDs: (0...1_000).map { "\($0)" }) }),
    (
      .maximumUserCountExceeded,
      { try await $0.importUsers((0...1_000).map { UserImportRecord(uid: "\($0)") }) }
    ),
    (.missingHashAlgorithm, { try await $0.importUsers([allowed]) }),
    (
      .argumentError,
      {
        try await $0.importUsers([
          UserImportRecord(uid: "a", creationDate: Date(timeIntervalSince1970: 1e300))
        ])
      }
    ),
    (.argumentError, { for try await _ in $0.listUsers(maxResults: 0) {} }),
    (.argumentError, { for try await _ in $0.listUsers(maxResults: 1_001) {} }),
    (.invalidPageToken, { for try await _ in $0.listUsers(pageToken: "") {} }),
    (
      .invalidContinueURI,
      {
        let settings = Admin.ActionCodeSettings(url: URL(string: "finish")!)
        _ = try await $0.generatePasswordResetLink(withEmail: "a@b", actionCodeSettings: settings)
      }
    ),
    (
      .missingAndroidPackageName,
      {
        var settings = Admin.ActionCodeSettings(url: URL(string: "https://example.com")!)
        settings.androidMinimumVersion = "12"
        _ = try await $0.generatePasswordResetLink(withEmail: "a@b", actionCodeSettings: settings)
      }
    ),
    (
      .argumentError,
      {
        let settings = Admin.ActionCodeSettings(url: URL(string: "https://example.com")!)
        _ = try await $0.generateSignInWithEmailLink(withEmail: "a@b", actionCodeSettings: settings)
      }
    ),
  ]

  @Test(arguments: refused.indices) func aWrongArgumentIsRefusedWithoutARequest(index: Int) async throws {
    let fixture = try fixture()
    let (code, call) = Self.refused[index]
    let error = await #expect(throws: AdminError.self) { try await call(fixture.admin) }
    #expect(error?.code == code && fixture.requests.isEmpty)
  }
}
