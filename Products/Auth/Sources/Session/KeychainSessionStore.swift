import TenonFoundation

#if canImport(Security)
  import Foundation
  import Security
  import TenonCore

  /// Stores a session in the data protection keychain, on this device only, readable after the first unlock.
  ///
  /// The keychain has no lock, so a lock file beside the app's private files makes changes atomic among
  /// processes.
  struct KeychainSessionStore: SessionStore {
    /// An error of the keychain.
    struct Failure: Error, CustomStringConvertible {
      /// The status code of Security.framework.
      let status: OSStatus

      /// The system's description of the status, and its number.
      var description: String {
        "\(SecCopyErrorMessageString(status, nil) as String? ?? "The keychain failed.") (\(status))"
      }
    }

    private let service: String
    private let account: String
    private let lock: PrivateFile

    /// - Parameters:
    ///   - service: the name of the project.
    ///   - account: the name of the app in the project.
    ///   - directory: an existing private directory, for the lock file.
    /// - Returns: `nil` if this process has no data protection keychain: on macOS, if it isn't signed with an
    ///   application identifier.
    init?(service: String, account: String, directory: String) {
      self.service = service
      self.account = account
      lock = PrivateFile(directory: directory, name: "session")
      var query = item
      query[kSecReturnAttributes] = true
      if SecItemCopyMatching(query as CFDictionary, nil) == errSecMissingEntitlement { return nil }
    }

    var location: String { "the keychain, as \"\(account)\" of \"\(service)\"" }

    func load() throws -> Data? { try content(of: item) }

    func update(_ change: (Data?) throws -> Data?) throws {
      try lock.exclusively {
        let kept = try content(of: item)
        let changed = try change(kept)
        guard changed != kept else { return }
        guard let changed else { return try check(SecItemDelete(item as CFDictionary)) }
        let attributes: [CFString: Any] = [
          kSecValueData: changed,
          kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        if kept == nil {
          try check(SecItemAdd(item.merging(attributes) { $1 } as CFDictionary, nil))
        } else {
          try check(SecItemUpdate(item as CFDictionary, attributes as CFDictionary))
        }
      }
    }

    func setAside() throws {
      try lock.exclusively {
        let name = "\(account).unreadable-\(Int(Date.now.timeIntervalSince1970 * 1_000))"
        try check(SecItemUpdate(item as CFDictionary, [kSecAttrAccount: name] as CFDictionary))
      }
    }

    /// The attributes that every query has: they identify the item.
    private var item: [CFString: Any] {
      [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: service,
        kSecAttrAccount: account,
        kSecUseDataProtectionKeychain: true,
      ]
    }

    /// Returns the content of the item; `nil` if there is none.
    ///
    /// - Throws: ``Failure``, with `errSecDecode` if the item has no data.
    private func content(of item: [CFString: Any]) throws -> Data? {
      var query = item
      query[kSecMatchLimit] = kSecMatchLimitOne
      query[kSecReturnData] = true
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      try check(status)
      guard let content = found as? Data else { throw Failure(status: errSecDecode) }
      return content
    }

    /// - Throws: ``Failure`` unless the status is `errSecSuccess`.
    private func check(_ status: OSStatus) throws {
      guard status == errSecSuccess else { throw Failure(status: status) }
    }
  }
#endif
