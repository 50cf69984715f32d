import TenonCore
import TenonFoundation
import TenonJSON

/// The file in the system's temporary directory by which Firebase's command-line tool and other programs of
/// this machine find the hub of a project: `hub-PROJECT.json`.
struct HubLocator {
  private let url: URL
  private let content: JSON

  /// - Returns: `nil` if there is no hub, or the project can't be part of the name of a file.
  init?(of project: String, _ places: ServedPlaces) {
    let isName = project.utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "-_.:".contains(character))
    }
    guard isName, places.emulators.contains(.hub) else { return nil }
    url = FileManager.default.temporaryDirectory.appending(path: "hub-\(project).json")
    content = [
      "version": .string(Release.version), "origins": .array(places.origins(of: .hub).map(JSON.string)),
      "host": "127.0.0.1", "port": .int(Int64(places.port(of: .hub))),
    ]
  }

  /// Writes the file.
  ///
  /// - Returns: a message for people, if there is one from another server or it can't be written.
  func write() -> String? {
    let isPresent = FileManager.default.fileExists(atPath: url.path)
    let draft = url.deletingLastPathComponent().appending(path: ".\(url.lastPathComponent)-\(UUID())")
    do {
      try content.serialized.write(to: draft)
      // Renaming doesn't follow a symbolic link that another user has put there.
      try OpenFile.replace(url, with: draft)
    } catch {
      try? FileManager.default.removeItem(at: draft)
      return
        "\(url.path) can't be written, so other programs don't find the hub by it: \(error.systemReason)."
    }
    guard isPresent else { return nil }
    return "\(url.path) was there: another server may run for this project, or has been killed."
  }

  /// Removes the file, unless another server has replaced it.
  func remove() {
    guard let text = try? Data(contentsOf: url), (try? JSON(parsing: text)) == content else { return }
    try? FileManager.default.removeItem(at: url)
  }
}
