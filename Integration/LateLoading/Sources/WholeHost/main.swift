// A host with a copy of Core: libraries that are loaded later can't register with it.
import Foundation
import TenonCore

/// Prints a line immediately, whatever standard output is.
func say(_ words: String...) {
  FileHandle.standardOutput.write(Data((words.joined(separator: " ") + "\n").utf8))
}

for step in CommandLine.arguments.dropFirst() {
  let parts = step.split(separator: "=", maxSplits: 1).map(String.init)
  let value = parts.count > 1 ? parts[1] : ""
  switch parts[0] {
  case "configure":
    do {
      try App.configure(name: value, options: AppOptions(projectID: "late", data: .memory))
      say("configured")
    } catch {
      say("error: \(error)")
    }
  case "configure-misspelt":
    do {
      try App.configure(options: AppOptions(projectID: "late", data: .memory, libraries: ["vendor"]))
    } catch let error as ConfigurationError {
      say("refused:", error.problems.map(\.code.rawValue).joined(separator: " "))
    }
  case "load", "vendor-report", "vendor-configure":
    guard let library = dlopen(value, RTLD_NOW | RTLD_LOCAL) else {
      fatalError("\(value) can't be loaded: \(dlerror().map { String(cString: $0) } ?? "")")
    }
    guard parts[0] != "load" else { continue }
    guard let function = dlsym(library, parts[0].replacing("-", with: "_")) else { fatalError(step) }
    unsafeBitCast(function, to: (@convention(c) () -> Void).self)()
  case "images":
    for path in LibraryRegistry.coreImages { say("core:", path) }
  default:
    fatalError("unknown step \(step)")
  }
}
