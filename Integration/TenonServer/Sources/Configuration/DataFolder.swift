import TenonFoundation

/// The folder in which the data of a project is by default: `.tenon/PROJECT`.
struct DataFolder {
  private let parent: URL
  private let project: String
  var path: String { parent.appending(path: project).path }

  /// - Parameter folder: the folder of `firebase.json`, or the current one.
  /// - Throws: ``ConfigurationProblem`` if the project can't be the name of a folder.
  init(of project: String, in folder: URL) throws(ConfigurationProblem) {
    let isName = project.utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "-_.:".contains(character))
    }
    guard isName, !project.isEmpty, !project.hasPrefix("."), project.utf8.count <= 128 else {
      throw ConfigurationProblem(
        "The project \(project) can't be the name of a folder for its data. Name a folder with --directory, or pass --memory."
      )
    }
    self.project = project
    parent = folder.appending(path: ".tenon")
  }

  /// Creates the folder, which Git ignores.
  ///
  /// - Throws: ``ConfigurationProblem``.
  func create() throws(ConfigurationProblem) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let ignored = parent.appending(path: ".gitignore")
      if !FileManager.default.fileExists(atPath: ignored.path) { try Data("*\n".utf8).write(to: ignored) }
    } catch {
      throw ConfigurationProblem(
        "The folder \(path) can't be created: \(error.systemReason). Name another one with --directory, or pass --memory."
      )
    }
  }
}
