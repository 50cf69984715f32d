import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import Testing

@testable import TenonEmbedded

/// Users who are imported with the hashes that other systems have of their passwords.
@Suite(.limited) struct ForeignHashTests {
  /// A hash of the password `lovelace` with the salt `NaCl`, unless it says otherwise.
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    /// The members of the request that describe the function.
    let function: [String: JSON]
    let hash: String
    var salt: String? = "TmFDbA=="
    var password = "lovelace"
    var testDescription: String { name }

    init(
      _ algorithm: String, _ parameters: [String: JSON] = [:], _ hash: String, salt: String? = "TmFDbA==",
      password: String = "lovelace", named detail: String = ""
    ) {
      name = "\(algorithm) \(detail)"
      function = parameters.merging(["hashAlgorithm": .string(algorithm)]) { $1 }
      self.hash = hash
      self.salt = salt
      self.password = password
    }
  }

  /// The parameters of the example of https://github.com/firebase/scrypt.
  private static let firebase: [String: JSON] = [
    "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
    "saltSeparator": "Bw==", "rounds": 8, "memoryCost": 14,
  ]
  private static let standard: [String: JSON] = [
    "cpuMemCost": 1024, "blockSize": 8, "parallelization": 16, "dkLen": 64,
  ]
  private static let secret: [String: JSON] = ["signerKey": "c2VjcmV0"]

  /// The hashes are those of Python's `hashlib` and `hmac`. The orders of salt and password, and MD5 in hexadecimal, are
  /// those of Google's kit for Node.js, whose tests run against production; bcrypt is an example of Openwall's crypt_blowfish.
  private static let examples: [Example] = [
    Example(
      "SCRYPT", firebase,
      "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
      salt: "42xEC+ixf3L2lw==", password: "user1password"),
    Example(
      "SCRYPT", firebase.mapValues { $0 == 14 ? "14" : $0 },
      "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ",
      salt: "42xEC-ixf3L2lw", password: "user1password", named: "in the other alphabet"),
    Example(
      "STANDARD_SCRYPT", standard,
      "5pg9Z1dWcVsvYLxqSfoLsaDfRpMd7qf7Tsccqxl+s3B0XdGWg5gGR+LoY5gtm1DHGYBGLEDCM4s16NPjeRhcBg=="),
    Example(
      "STANDARD_SCRYPT", ["memoryCost": 1024, "blockSize": 8, "parallelization": 16, "dkLen": 64],
      "5pg9Z1dWcVsvYLxqSfoLsaDfRpMd7qf7Tsccqxl+s3B0XdGWg5gGR+LoY5gtm1DHGYBGLEDCM4s16NPjeRhcBg==",
      named: "with the name of Google's kit for Python"),
    Example(
      "BCRYPT", [:],
      Data("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW".utf8).base64EncodedString(),
      salt: nil, password: "U*U"),
    Example("PBKDF_SHA1", ["rounds": 1000], "LWgneUeVeV4/MC/d7Z2/8gu/UdM="),
    Example(
      "PBKDF2_SHA256", ["rounds": 100_000],
      "3v/TeEAuaQFSpAGKSxbZyClBmm10v467Vxne6gNrJIGRxTa2BDq44m/C4HZQB9kS/BFlJz1U1OnVLxm3CAyetA=="),
    Example("HMAC_MD5", secret, "E48tqvWgcSnddME3OHExkQ=="),
    Example("HMAC_SHA1", secret, "EQuJwni37MmvNRkIZWvXLdKTti8="),
    Example("HMAC_SHA256", secret, "3OOtyWAzdmlxbuem6VFnpuajTwaPXhzbpG7oiR0YT1o="),
    Example(
      "HMAC_SHA256", secret.merging(["passwordHashOrder": "SALT_AND_PASSWORD"]) { $1 },
      "Ucb/GgReIOHA6Es9vAUOzvjorocuuEx9HEGijbb5rPw=", named: "with the salt first"),
    Example(
      "HMAC_SHA512", secret,
      "kkljw9RJ76uSPff5wNnSZxUVN7RrUwFx1oSBSeCzaKqe8BUSKM9sM5U+APJyy2X+PYxlAfMh7gzB1AjYHfUdJQ=="),
    Example("MD5", [:], "NjV8v6GbMPvDIOQueJWAOQ=="),
    Example("MD5", ["rounds": 0], "MzYzNTdjYmZhMTliMzBmYmMzMjBlNDJlNzg5NTgwMzk=", named: "in hexadecimal"),
    Example("MD5", ["rounds": 3], "YY3LjDZKI1HMdnBK466w/w==", named: "three times"),
    Example("SHA1", ["rounds": 1], "Y3uOrmHJyIWB3YEi/CMc2j71E8M="),
    Example("SHA1", ["rounds": 3], "IR8ph8qZbaemUyZC6vq2xsAR1xo=", named: "three times"),
    Example("SHA256", ["rounds": 1], "waJVbC9xgQ094+Y4zlyFE7EwMmbt2CU2MIf8Z6fTo20="),
    Example(
      "SHA256", ["rounds": 1, "passwordHashOrder": "PASSWORD_AND_SALT"],
      "vxkJ2rAAqDOCgmYBpQtyUy3PIb8dxvN2/K111WjclVM=", named: "with the password first"),
    Example(
      "SHA512", ["rounds": 3],
      "qjkELbpEJv9dF6Ig+eycfpxnhNhnh/laLqQ34BlrYyu40BSIZBTUQWqTIenK4vGEomPICvkwOvMi8XGZfpgL4A=="),
  ]

  private func load(
    _ backend: Backend, _ function: [String: JSON], _ hash: String, salt: String? = "TmFDbA=="
  ) async throws -> JSON {
    let user = JSON.members([
      "localId": "ada", "email": "ada@example.com", "passwordHash": .string(hash),
      "salt": salt.map(JSON.string),
    ])
    let body = function.merging(["users": [user], "allowOverwrite": true]) { $1 }
    return try await backend.administrate("accounts:batchCreate", .object(body)).json
  }

  private func signIn(_ backend: Backend, _ password: String) async throws -> JSON {
    try await backend.call(
      "accounts:signInWithPassword", ["email": "ada@example.com", "password": .string(password)]
    ).json
  }

  private func storedHash(_ backend: Backend) async throws -> String? {
    try await backend.embedded.users(after: nil, limit: 1).first?["passwordHash"]?.string
  }

  @Test(arguments: examples)
  func aUserSignsInWithThePasswordOfAnotherSystem(example: Example) async throws {
    let backend = Backend()
    #expect(try await load(backend, example.function, example.hash, salt: example.salt)["error"] == [])
    let imported = try await storedHash(backend)
    #expect(imported.map(PasswordHasher.isOwn) == false)
    for wrong in ["wrong password", example.password + "x", String(repeating: "x", count: 600), "\0"] {
      #expect(try await signIn(backend, wrong).errorMessage == "INVALID_PASSWORD")
    }
    #expect(try await storedHash(backend) == imported)
    #expect(try await signIn(backend, example.password)["localId"] == "ada")
    // From then on, it is a hash of the backend's.
    let replaced = try await storedHash(backend)
    #expect(replaced.map(PasswordHasher.isOwn) == true)
    #expect(try await signIn(backend, "wrong password").errorMessage == "INVALID_PASSWORD")
    #expect(try await signIn(backend, example.password)["localId"] == "ada")
    #expect(try await storedHash(backend) == replaced)
  }

  @Test func aUserWithAForeignHashHasAPasswordWhoseHashIsConcealed() async throws {
    let backend = Backend()
    let sha: [String: JSON] = ["hashAlgorithm": "SHA256", "rounds": 1]
    let hash = "waJVbC9xgQ094+Y4zlyFE7EwMmbt2CU2MIf8Z6fTo20="
    #expect(try await load(backend, sha, hash)["error"] == [])
    let found = try await backend.administrate("accounts:lookup", ["localId": ["ada"]]).json["users"]?.array
    let user = try #require(found?.first)
    #expect(user["passwordHash"] == "UkVEQUNURUQ=" && user["salt"] == nil)
    #expect(user["providerUserInfo"]?.array?.map { $0["providerId"] } == ["password"])
    // What is shown in place of a hash isn't one.
    #expect(try await load(backend, sha, "UkVEQUNURUQ=")["error"]?.array?.count == 1)
    #expect(try await signIn(backend, "lovelace")["localId"] == "ada")
  }

  @Test func aForeignHashIsReplacedByANewPassword() async throws {
    let backend = Backend()
    let md5: [String: JSON] = ["hashAlgorithm": "MD5"]
    #expect(try await load(backend, md5, "NjV8v6GbMPvDIOQueJWAOQ==")["error"] == [])
    let change: JSON = ["localId": "ada", "password": "analytical"]
    #expect(try await backend.administrate("accounts:update", change).status == 200)
    #expect(try await signIn(backend, "lovelace").errorMessage == "INVALID_PASSWORD")
    #expect(try await signIn(backend, "analytical")["localId"] == "ada")
  }

  @Test func foreignHashesSurviveARestartAndAnExport() async throws {
    let directory = TemporaryDirectory()
    defer { directory.remove() }
    let example = Self.examples[0]
    let first = Backend(directory: directory.path)
    #expect(try await load(first, example.function, example.hash, salt: example.salt)["error"] == [])
    await first.embedded.close()
    let second = Backend(directory: directory.path)
    let exported = try await second.embedded.users(after: nil, limit: 10)
    let other = Backend()
    #expect(try await other.embedded.add(exported).isEmpty)
    for backend in [second, other] {
      #expect(try await signIn(backend, "wrong password").errorMessage == "INVALID_PASSWORD")
      #expect(try await signIn(backend, example.password)["localId"] == "ada")
    }
  }

  /// A sign-in computes one hash of the backend's, whether or not the address is known and the password right.
  @Test func emailPrivacyConcealsForeignHashes() async throws {
    let count = Lock(0)
    let hasher = PasswordHasher { password, setting in
      count.withLock { $0 += 1 }
      return "\(setting) \(password)"
    }
    let backend = Backend(hasher: hasher)
    backend.embedded.settings.emailPrivacy = true
    #expect(
      try await load(backend, ["hashAlgorithm": "MD5"], "NjV8v6GbMPvDIOQueJWAOQ==")["error"] == [])
    #expect(count.withLock { $0 } == 0)
    for wrong in ["wrong password", "NUL \u{0}"] {
      #expect(try await signIn(backend, wrong).errorMessage == "INVALID_LOGIN_CREDENTIALS")
      #expect(count.withLock { $0 } == 1, "\(wrong)")
      count.withLock { $0 = 0 }
    }
    #expect(try await signIn(backend, "lovelace")["localId"] == "ada")
    #expect(count.withLock { $0 } == 1)
  }

  private static func changed(_ function: [String: JSON], _ name: String, _ value: JSON?) -> [String: JSON] {
    var function = function
    function[name] = value
    return function
  }

  private static let scrypt = changed(firebase, "hashAlgorithm", "SCRYPT")
  private static let standardScrypt = changed(standard, "hashAlgorithm", "STANDARD_SCRYPT")

  @Test(
    arguments: [
      (["hashAlgorithm": "ROT13"], "INVALID_HASH_ALGORITHM"),
      (["hashAlgorithm": "SHA256"], "INVALID_HASH_ROUNDS"),
      (["hashAlgorithm": "SHA256", "rounds": 8_193], "INVALID_HASH_ROUNDS"),
      (["hashAlgorithm": "MD5", "rounds": -1], "INVALID_HASH_ROUNDS"),
      (["hashAlgorithm": "PBKDF2_SHA256", "rounds": 0], "INVALID_HASH_ROUNDS"),
      (["hashAlgorithm": "PBKDF2_SHA256", "rounds": 120_001], "INVALID_HASH_ROUNDS"),
      (["hashAlgorithm": "PBKDF_SHA1", "rounds": .int(.max)], "INVALID_HASH_ROUNDS"),
      (["hashAlgorithm": "HMAC_SHA256"], "INVALID_HASH_KEY"),
      (["hashAlgorithm": "HMAC_SHA256", "signerKey": "*"], "INVALID_HASH_KEY"),
      (
        ["hashAlgorithm": "HMAC_SHA256", "signerKey": .string(String(repeating: "AAAA", count: 400))],
        "INVALID_HASH_KEY"
      ),
      (["hashAlgorithm": "SHA1", "rounds": 1, "passwordHashOrder": "SALT"], "INVALID_HASH_ALGORITHM"),
      (changed(scrypt, "memoryCost", 15), "INVALID_HASH_MEMORY_COST"),
      (changed(scrypt, "memoryCost", nil), "INVALID_HASH_MEMORY_COST"),
      (changed(scrypt, "rounds", 9), "INVALID_HASH_ROUNDS"),
      (changed(scrypt, "signerKey", "AAAA"), "INVALID_HASH_KEY"),
      (changed(scrypt, "saltSeparator", "!"), "INVALID_HASH_SALT_SEPARATOR"),
      (changed(standardScrypt, "cpuMemCost", 1_000), "INVALID_HASH_MEMORY_COST"),
      (changed(standardScrypt, "cpuMemCost", .int(1 << 21)), "INVALID_HASH_MEMORY_COST"),
      (changed(standardScrypt, "cpuMemCost", .int(1 << 18)), "INVALID_HASH_MEMORY_COST"),
      (changed(standardScrypt, "blockSize", .int(.max)), "INVALID_HASH_BLOCK_SIZE"),
      (changed(standardScrypt, "parallelization", 257), "INVALID_HASH_PARALLELIZATION"),
      (changed(standardScrypt, "dkLen", 15), "INVALID_HASH_DERIVED_KEY_LENGTH"),
      (changed(standardScrypt, "dkLen", 1_000_000), "INVALID_HASH_DERIVED_KEY_LENGTH"),
    ] as [([String: JSON], String)])
  func parametersOutsideOfTheirLimitsAreRefusedByName(function: [String: JSON], code: String) async throws {
    let backend = Backend()
    let refused = try await load(backend, function, "NjV8v6GbMPvDIOQueJWAOQ==")
    #expect(refused.errorMessage?.hasPrefix("\(code) : ") == true, "\(refused)")
    #expect(try await backend.embedded.users(after: nil, limit: 1).isEmpty)
  }

  @Test func parametersOfAnotherTypeAreNamed() async throws {
    let function: [String: JSON] = ["hashAlgorithm": "SHA256", "rounds": "many"]
    let refused = try await load(Backend(), function, "NjV8v6GbMPvDIOQueJWAOQ==")
    #expect(refused.errorMessage?.contains("/rounds must match format") == true)
  }

  @Test func argon2IsRefusedByName() async throws {
    let backend = Backend()
    let function: [String: JSON] = [
      "hashAlgorithm": "ARGON2", "argon2Parameters": ["hashType": "ARGON2_ID", "iterations": 3],
    ]
    let refused = try await load(backend, function, "NjV8v6GbMPvDIOQueJWAOQ==")
    #expect(refused["error"]?["code"] == 501 && refused.errorMessage?.contains("ARGON2") == true)
    #expect(try await backend.embedded.users(after: nil, limit: 1).isEmpty)
    // Nothing depends on the function if nobody has a hash.
    let users: JSON = ["hashAlgorithm": "ARGON2", "users": [["localId": "eve"]]]
    #expect(try await backend.administrate("accounts:batchCreate", users).json["error"] == [])
  }

  private static func bcrypt(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  /// A user whose hash isn't one of the function can't be imported; the others are.
  @Test(
    arguments: [
      (["hashAlgorithm": "SHA256", "rounds": 1], "NjV8v6GbMPvDIOQueJWAOQ==", "TmFDbA=="),
      (["hashAlgorithm": "SHA256", "rounds": 1], "not base64!", "TmFDbA=="),
      (["hashAlgorithm": "MD5"], "NjV8v6GbMPvDIOQueJWAOQ==", "*"),
      (["hashAlgorithm": "MD5"], "NjV8v6GbMPvDIOQueJWAOQ==", String(repeating: "AAAA", count: 400)),
      (["hashAlgorithm": "MD5"], "enp6enp6enp6enp6enp6enp6enp6enp6enp6enp6eno=", "TmFDbA=="),
      (["hashAlgorithm": "PBKDF_SHA1", "rounds": 1], "NjV8v6Gb", "TmFDbA=="),
      (["hashAlgorithm": "PBKDF_SHA1", "rounds": 1], String(repeating: "AAAA", count: 43), "TmFDbA=="),
      (scrypt, "NjV8v6GbMPvDIOQueJWAOQ==", "TmFDbA=="),
      (standardScrypt, "NjV8v6GbMPvDIOQueJWAOQ==", "TmFDbA=="),
      (
        ["hashAlgorithm": "BCRYPT"], bcrypt("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe"), ""
      ),
      (
        ["hashAlgorithm": "BCRYPT"], bcrypt("$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ""
      ),
      (
        ["hashAlgorithm": "BCRYPT"], bcrypt("$2a$+5$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        ""
      ),
      (
        ["hashAlgorithm": "BCRYPT"], bcrypt("$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjlO/O817G3uBnI"),
        ""
      ),
      ([:], "foreign:{}", ""),
      (
        [:],
        #"foreign:{"hashAlgorithm":"PBKDF_SHA1","rounds":999999999,"passwordHash":"LWgneUeVeV4/MC/d7Z2/8gu/UdM="}"#,
        ""
      ),
    ] as [([String: JSON], String, String)])
  func aHashThatIsNoneOfTheFunctionIsAnErrorOfTheUser(
    function: [String: JSON], hash: String, salt: String
  ) async throws {
    let backend = Backend()
    let answer = try await load(backend, function, hash, salt: salt)
    #expect(answer["error"]?.array?.map { $0["index"] } == [0], "\(answer)")
    #expect(try await backend.embedded.users(after: nil, limit: 1).isEmpty)
  }

  @Test func aDamagedHashIsReportedAndNotAWrongPassword() async throws {
    let backend = Backend()
    #expect(
      try await load(backend, ["hashAlgorithm": "MD5"], "NjV8v6GbMPvDIOQueJWAOQ==")["error"] == [])
    try await backend.embedded.accounts.database.transaction { database in
      var account = try #require(try database.account(id: "ada"))
      account.passwordHash = "foreign:{"
      try database.save(account)
    }
    let answer = try await signIn(backend, "lovelace")
    #expect(answer["error"]?["code"] == 500 && answer.errorMessage?.contains("damaged") == true)
  }
}
