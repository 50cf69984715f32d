import ArgumentParser
import NotesText

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Prints statistics, which the function \"stats\" computes (with --emulator, this device)."
  )

  @Flag(help: "Print the numbers as JSON.")
  var json = false

  @OptionGroup var options: NotesOptions

  func run() async throws {
    let statistics = try await NotesApp.run(options) { try await $0.statistics() }
    if json { return try Output.json(statistics) }
    for (name, number) in [
      ("notes", statistics.notes), ("attachments", statistics.attachments), ("words", statistics.words),
      ("links", statistics.links), ("bytes", statistics.bytes), ("tags", statistics.tags),
    ] { Output.line("\(name): \(number)") }
    for tag in statistics.topTags { Output.line("  #\(tag.tag.visible): \(tag.notes)") }
  }
}
