import Foundation
import Testing

/// The virtual environment of the Python programs in `Integration/SecondOpinions`, made when a test first wants it.
enum SecondOpinions {
  static let folder = packageRoot.appending(path: "Integration/SecondOpinions")
  static let python = packageRoot.appending(path: ".build-venv/bin/python")

  /// Why the programs can't run here; `nil` where they can.
  static var absence: String? {
    get async { await preparation.value }
  }

  /// Whether the tests run: where the environment is or can be made, and in CI, where it must be.
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

extension Trait where Self == ConditionTrait {
  /// Skips where Python or its packages can't be had, but not in CI.
  static var secondOpinions: Self {
    .enabled("Python or the packages of Integration/SecondOpinions can't be had here.") {
      await SecondOpinions.areWanted
    }
  }
}
