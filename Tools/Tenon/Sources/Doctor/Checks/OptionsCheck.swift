import Foundation
import TenonCore

/// The options of an app can be read and are valid.
enum OptionsCheck {
  /// Returns the options that an app in a folder would have, if they are valid.
  ///
  /// - Parameters:
  ///   - directory: the folder.
  ///   - environment: the variables; those of the process if `nil`.
  static func discovered(
    in directory: String, environment: [String: String]? = nil
  ) -> (result: Diagnosis, options: AppOptions?) {
    do {
      let options = try AppOptions.discovered(environment: environment, in: directory)
      let backend = options.backend.kind.rawValue
      let project = options.projectID.map { "the project is \($0)" } ?? "there is no project"
      return (.ok("Options", "\(project), the backend is \(backend)"), options)
    } catch let error as ConfigurationError where error.problems.map(\.code) == [.missingOption] {
      return (
        .warning(
          "Options", "neither a file nor the environment has options",
          fix:
            "Write {\"projectID\": \"my-project\"} into tenon.json, or pass options to App.configure(options:)."
        ), nil
      )
    } catch let error as ConfigurationError where error.problems.allSatisfy({ !$0.repairs.isEmpty }) {
      // The description says what to do.
      return (.problem("Options", "\(error)", fix: nil), nil)
    } catch {
      return (
        .problem("Options", "\(error)", fix: "Correct the file or the variable that the message names."), nil
      )
    }
  }
}
