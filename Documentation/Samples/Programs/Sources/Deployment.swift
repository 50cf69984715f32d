// sample: terminate
import Dispatch
import Foundation
import TenonCore
import TenonEmbedded

// sample: end
func endInOrder() async throws {
  try App.configure(options: AppOptions(projectID: "demo", backend: .embedded(directory: nil)))
  // sample: terminate
  let app = try App.default
  // Otherwise the signal ends the program before the source sees it.
  signal(SIGTERM, SIG_IGN)
  let terminations = DispatchSource.makeSignalSource(signal: SIGTERM)
  terminations.setEventHandler {
    Task {
      await app.delete()
      exit(0)
    }
  }
  // sample: end
  // Earlier signals are lost.
  terminations.setRegistrationHandler { kill(getpid(), SIGTERM) }
  // sample: terminate
  terminations.resume()
  // sample: end
  try await Task.sleep(for: .seconds(60))
  exit(1)
}
