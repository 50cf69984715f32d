import TenonFoundation
import TenonJSON

/// The projects of `.firebaserc`, by their aliases.
struct ProjectAliases {
  private let projects: [String: String]

  /// - Throws: ``ConfigurationProblem``.
  init(_ file: ConfigurationFile) throws(ConfigurationProblem) {
    var projects: [String: String] = [:]
    switch file.content["projects"] {
    case nil, .null: break
    case .object(let members):
      for (alias, value) in members.sorted(by: { $0.key < $1.key }) {
        projects[alias] = try file.text(value, "projects.\(alias)", "the ID of a project")
      }
    default: throw file.problem("projects", #"isn't an object. Write {"default": "demo-project"}."#)
    }
    self.projects = projects
  }

  /// Returns the project of an alias, or of the alias `default` if there is no name; a name that is no alias is
  /// a project.
  func project(_ name: String?) -> String? { name.map { projects[$0] ?? $0 } ?? projects["default"] }
}
