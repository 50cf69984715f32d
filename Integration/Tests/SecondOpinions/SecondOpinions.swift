import Foundation
import TenonTestSupport
import Testing

/// The virtual environment of the Python programs in `Integration/SecondOpinions`, created by the first test
/// that needs it.
enum SecondOpinions {
  static let folder = packageRoot.appending(path: "Integration/SecondOpinions")
  static let python = packageRoot.appending(path: ".build-venv/bin/python")

  /// The reason why the programs can't run here; `nil` if they can.
  static var absence: String? {
    get async { await preparation.value }
  }

  /// Whether to run the tests: if the environment exists or can be created, and always in CI.
  static var areWanted: Bool {
    get async {
      guard ProcessInfo.processInfo.environment["CI"] == nil else { return true }
      return await absence == nil
    }
  }

  private static let preparation = Task<String?, Never> {
    do {
      let result = try await Executable(path: folder.appending(path: "prepare").path).run()
      guard result.status != 0 else { return nil }
      return "Integration/SecondOpinions/prepare failed: \(result.errors.suffix(600))"
    } catch {
      return "Integration/SecondOpinions/prepare can't be run: \(error)"
    }
  }
}

extension Trait where Self == RequirementTrait {
  /// Skips the tests if Python or its packages aren't available, but not in CI.
  static var secondOpinions: Self {
    .requires(
      "Python or the packages of Integration/SecondOpinions aren't available; Tools/bootstrap --all installs Python"
    ) {
      await SecondOpinions.areWanted
    }
  }
}
