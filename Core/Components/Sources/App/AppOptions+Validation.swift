extension AppOptions {
  /// Returns everything that is wrong with the options.
  ///
  /// Only the form of the values is checked: no file is opened and no server is contacted. A field that is
  /// `nil` is valid. The names in ``libraries`` are checked against the linked libraries by
  /// ``LibrarySelection``.
  ///
  /// - Parameter source: the source of the options, which determines how their fields are named in messages.
  /// - Returns: the problems, in the order in which the fields are checked; empty if the options are valid.
  ///   An empty project ID has the code ``ConfigurationError/Code/missingOption``, everything else
  ///   ``ConfigurationError/Code/malformedOption``. They quote the malformed values, except that of an API
  ///   key.
  /// - Complexity: O(*n*) in the length of the values.
  func problems(in source: OptionsSource) -> [ConfigurationError.Problem] {
    var problems: [ConfigurationError.Problem] = []
    /// Adds a problem if a value is present and either empty or malformed.
    ///
    /// - Parameters:
    ///   - field: the field, for the message.
    ///   - value: the value; `nil` if the field isn't set, which is valid.
    ///   - isValid: returns whether a value that isn't empty has the right form.
    ///   - rule: a sentence that describes the form, which becomes the repair.
    func check(_ field: OptionsField, _ value: String?, _ isValid: (String) -> Bool, _ rule: String) {
      guard let value else { return }
      let name = source.name(of: field)
      if value.isEmpty {
        problems.append(
          field == .projectID
            ? .init(
              .missingOption,
              "\(name) is missing in \(source).",
              repairs: ["Set it to the project's id."]
            )
            : .init(.malformedOption, "\(name) is empty in \(source).", repairs: ["Set it, or leave it out."])
        )
      } else if !isValid(value) {
        // The message may end in a log, and an API key is a credential.
        let quoted = field == .apiKey ? "" : ": \"\(value)\""
        problems.append(
          .init(.malformedOption, "\(name) in \(source) is malformed\(quoted).", repairs: [rule])
        )
      }
    }
    check(
      .projectID, projectID, Self.isProjectID, "A project id has lower-case letters, digits and hyphens only."
    )
    check(.apiKey, apiKey, Self.isVisible, "An API key has no spaces.")
    check(.appID, appID, Self.isAppID, "An app id reads 1:<project number>:<platform>:<hexadecimal digits>.")
    check(.senderID, senderID, Self.isNumber, "A sender id is the project's number: digits only.")
    check(
      .storageBucket,
      storageBucket,
      Self.isBucket,
      "A bucket's name consists of lower-case letters, digits, -, _ and dots."
    )
    if case .embedded(let directory) = backend {
      check(.embeddedDirectory, directory, Self.isPath, "A directory's path can't contain NUL.")
    }
    if case .directory(let directory) = data {
      check(.dataDirectory, directory, Self.isPath, "A directory's path can't contain NUL.")
    }
    if case .emulator(let hosts) = backend {
      let fields: [(OptionsField, String?)] = [
        (.authEmulator, hosts.auth), (.functionsEmulator, hosts.functions),
        (.storageEmulator, hosts.storage), (.firestoreEmulator, hosts.firestore),
      ]
      for (field, host) in fields {
        check(field, host, Self.isHostAndPort, "Write host:port, for example 127.0.0.1:9099.")
      }
    }
    return problems
  }

  /// Returns whether a text consists of lower-case ASCII letters, digits and hyphens.
  ///
  /// Google Cloud also restricts the length and the first and last characters ([Creating and managing
  /// projects](https://cloud.google.com/resource-manager/docs/creating-managing-projects)), which isn't
  /// checked here.
  private static func isProjectID(_ text: String) -> Bool {
    text.utf8.allSatisfy { isLower($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
  }

  /// Returns whether a text consists of visible ASCII characters (`VCHAR` of RFC 5234, appendix B.1): no
  /// spaces and no control characters.
  private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

  /// Returns whether a text has no null character, which would end a path in a system call.
  private static func isPath(_ text: String) -> Bool { !text.utf8.contains(0) }

  /// Returns whether a text consists of ASCII digits.
  private static func isNumber(_ text: String) -> Bool { text.utf8.allSatisfy(isDigit) }

  /// Returns whether a text consists of the characters of a bucket's name: lower-case ASCII letters, digits,
  /// `-`, `_` and `.`.
  ///
  /// Cloud Storage also restricts the length and some combinations of characters ([About Cloud Storage
  /// buckets](https://cloud.google.com/storage/docs/buckets#naming)), which isn't checked here.
  private static func isBucket(_ text: String) -> Bool {
    text.utf8.allSatisfy { isLower($0) || isDigit($0) || "-_.".utf8.contains($0) }
  }

  /// Returns whether a text is an app ID: `<version>:<project number>:<platform>:<hexadecimal digits>`.
  ///
  /// Version 1 of the format is checked completely. Of other versions only the number is checked, and that a
  /// colon follows it, as in Firebase's SDKs.
  private static func isAppID(_ text: String) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 1, !parts[0].isEmpty, isNumber(String(parts[0])) else { return false }
    guard parts[0] == "1" else { return true }
    return parts.count == 4 && !parts[1].isEmpty && isNumber(String(parts[1])) && !parts[2].isEmpty
      && !parts[3].isEmpty && parts[3].allSatisfy(\.isHexDigit)
  }

  /// Returns whether a text has the form `host:port` with a port from 1 to 65535.
  ///
  /// The host is what precedes the last colon. It must not be empty, and the text must not contain a slash,
  /// so a URL is rejected; the host isn't resolved.
  private static func isHostAndPort(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else { return false }
    // Checked: text; the initializer is failable.
    guard let port = Int(String(text[text.index(after: colon)...])) else { return false }
    return (1...65535).contains(port) && !text.contains("/")
  }

  private static func isLower(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

/// The source of options, for messages. It names a field as the user wrote it: `TENON_API_KEY` in the
/// environment, `API_KEY` in a property list, `apiKey` in code.
struct OptionsSource: Sendable, CustomStringConvertible {
  /// The source within a sentence, for example `the environment`.
  let description: String
  /// The names of the fields that this source spells differently from ``AppOptions``. Empty by default.
  var names: [OptionsField: String] = [:]

  /// Options that were created in code.
  static let code = OptionsSource(description: "the options")

  /// Returns the name of a field in this source; its name in ``AppOptions`` if the source has no other.
  func name(of field: OptionsField) -> String { names[field] ?? field.rawValue }
}

/// The fields of ``AppOptions`` as messages name them. The raw value is the name in code, with the path to a
/// field that is part of another one; a source can have other names (``OptionsSource/names``).
enum OptionsField: String, CaseIterable {
  case projectID, apiKey, appID, senderID, storageBucket, backend, data, libraries
  case authEmulator = "backend.emulator.auth"
  case functionsEmulator = "backend.emulator.functions"
  case storageEmulator = "backend.emulator.storage"
  case firestoreEmulator = "backend.emulator.firestore"
  case embeddedDirectory = "backend.embedded.directory"
  case dataDirectory = "data.directory"
}
