@testable import TenonStore

/// A program that is run by the model and by Store.
struct ModelProgram: CustomStringConvertible {
  var steps: [ModelStep]
  /// Whether the steps that lead to a known defect are left out.
  var avoidsKnownDefects = true

  /// The steps, one per line.
  var description: String { steps.map { "  \($0)" }.joined(separator: "\n") }

  /// Runs the program, and compares what the model and Store do after each step.
  ///
  /// - Returns: the first difference, in words; `nil` if there is none.
  func difference() async throws -> String? {
    let device = try await ModelDevice()
    let difference: String?
    do { difference = try await self.difference(on: device) } catch {
      await device.close()
      throw error
    }
    await device.close()
    return difference
  }

  private func difference(on device: ModelDevice) async throws -> String? {
    var model = OfflineModel()
    for (index, step) in steps.enumerated() {
      if avoidsKnownDefects, KnownDefects.isMet(by: step, in: model) { continue }
      let place = "After step \(index + 1), \(step):"
      let expected = model.run(step)
      do {
        let actual = try await device.run(step, expected)
        if actual.error != expected.error, !Self.isConflict(actual.error, expected.error, step) {
          return "\(place) it throws \(Self.text(actual.error)) instead of \(Self.text(expected.error))"
        }
        if !actual.reads.isEmpty, actual.reads != expected.reads {
          return "\(place) it reads \(actual.reads) instead of \(expected.reads)"
        }
        if let difference = try await device.state().difference(from: ModelState(of: model)) {
          return "\(place) \(difference)"
        }
      } catch let error as StoreError { return "\(place) \(error)" }
    }
    return nil
  }

  private static func isConflict(
    _ actual: StoreError.Code?, _ expected: StoreError.Code?, _ step: ModelStep
  ) -> Bool {
    guard case .transaction = step, let actual, let expected else { return false }
    return ModelState.withoutReason(actual, isTransaction: true)
      == ModelState.withoutReason(expected, isTransaction: true)
  }

  private static func text(_ code: StoreError.Code?) -> String { code?.rawValue ?? "nothing" }
}

extension ModelProgram {
  /// Returns a program with fewer steps that still fails, and from which no single step can be dropped.
  ///
  /// - Parameter fails: whether a program fails. It is called for each candidate.
  func shrunk(_ fails: (ModelProgram) async throws -> Bool) async rethrows -> ModelProgram {
    var program = self
    var length = program.steps.count
    while length > 0 {
      // Larger parts first: half of the program, then a quarter, down to single steps.
      var start = 0
      var isShorter = false
      while start < program.steps.count {
        var candidate = program
        candidate.steps.removeSubrange(start..<min(start + length, program.steps.count))
        if try await fails(candidate) {
          (program, isShorter) = (candidate, true)
        } else {
          start += length
        }
      }
      if !(isShorter && length == 1) { length /= 2 }
    }
    return program
  }
}
