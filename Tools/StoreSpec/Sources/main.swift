import Foundation
import TenonFoundation

// `store-spec FOLDER` runs the cases of all files in the folder. It exits with 1 if a case fails, and with 2
// if none can be run.

let arguments = CommandLine.arguments.dropFirst()
if arguments == ["--version"] {
  print(Release.version)
  exit(0)
}
guard let folder = arguments.first, arguments.count == 1, folder != "--help", folder != "-h" else {
  let isHelp = arguments.first == "--help" || arguments.first == "-h"
  print(
    "Usage: store-spec FOLDER\n\nRuns the Firestore spec tests in the JSON files of a folder against Store's engine."
  )
  exit(isHelp ? 0 : 2)
}

do {
  let report = try SpecReport.run(try SpecCase.cases(in: folder))
  for skip in report.skipped { print("skipped: \(skip.name): \(skip.reason)") }
  for failure in report.failures { print("failed: \(failure.name): \(failure.message)") }
  print(report.summary)
  exit(report.succeeded ? 0 : 1)
} catch {
  print("store-spec: \(error)")
  exit(2)
}
