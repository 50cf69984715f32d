import Foundation

/// A command of a block of shell code, or of code in a sentence.
struct ShellCommand: Sendable {
  /// The position of the command, as `path:line`.
  let place: String
  /// The name of the program, without a path to a build folder and without `swift run`.
  let program: String
  let arguments: [String]
  /// The whole command, for messages.
  let text: String

  /// Returns the commands of a text: lines, and their parts around `&&`, without comments. A trailing `&` has
  /// no meaning, and neither have variables before a command.
  static func commands(in text: String, place: (Int) -> String) -> [ShellCommand] {
    var commands: [ShellCommand] = []
    var (line, start, words) = (0, 0, [String]())
    func end() {
      if let command = ShellCommand(words, place: place(start)) { commands.append(command) }
      (words, start) = ([], line)
    }
    for token in tokens(of: text) {
      switch token {
      case .word(let word): words.append(word)
      case .end: end()
      case .newline:
        end()
        line += 1
        start = line
      }
    }
    end()
    return commands
  }

  private init?(_ words: [String], place: String) {
    var rest = words.drop { $0.contains(/^[A-Z_]+=/) }
    guard !rest.isEmpty else { return nil }
    if rest.starts(with: ["swift", "run"]) {
      rest = rest.dropFirst(2)
      while let option = rest.first, option.hasPrefix("-") {
        rest = rest.dropFirst(["-c", "--package-path", "--scratch-path"].contains(option) ? 2 : 1)
      }
    }
    // The options of `tenon serve` are those of the program that it becomes.
    if rest.starts(with: ["tenon", "serve"]) { rest = ["tenon-server"] + rest.dropFirst(2) }
    guard let program = rest.first else { return nil }
    self.program =
      program.firstMatch(of: #/^\.build[\w-]*/(?:debug|release)/([\w-]+)$/#).map { String($0.1) } ?? program
    (self.place, arguments, text) = (place, Array(rest.dropFirst()), words.joined(separator: " "))
  }

  // MARK: - Words

  private enum Token { case word(String), end, newline }

  private static func tokens(of text: String) -> [Token] {
    var tokens: [Token] = []
    var (word, quote) = (String?.none, Character?.none)
    func endWord() {
      if let text = word { tokens.append(["&", "&&", ";"].contains(text) ? .end : .word(text)) }
      word = nil
    }
    var isComment = false
    for character in text {
      if character.isNewline, quote == nil {
        endWord()
        tokens.append(.newline)
        isComment = false
      } else if isComment {
        continue
      } else if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        endWord()
      } else if character == "#", word == nil {
        isComment = true
      } else {
        word = (word ?? "") + String(character)
      }
    }
    endWord()
    return tokens
  }
}

/// What the command line of a program accepts, as ArgumentParser describes it.
struct CommandLineHelp: Decodable {
  struct Name: Decodable { let name: String }
  struct Argument: Decodable {
    let kind: String
    let names: [Name]?
    let isRepeating: Bool
  }
  struct Command: Decodable {
    let commandName: String
    let subcommands: [Command]?
    let arguments: [Argument]?
  }
  let command: Command

  /// Asks a program for its description.
  init(of program: Executable) async throws {
    let result = try await program.run(["--experimental-dump-help"])
    self = try JSONDecoder().decode(Self.self, from: Data(result.output.utf8))
  }

  /// Returns what a program wouldn't accept of its arguments; `nil` if it accepts them.
  func problem(of arguments: [String]) -> String? {
    var command = command
    var rest = arguments[...]
    while let word = rest.first, let next = command.subcommands?.first(where: { $0.commandName == word }) {
      command = next
      rest = rest.dropFirst()
    }
    var positionals = (command.arguments ?? []).filter { $0.kind == "positional" }
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        guard let positional = positionals.first else {
          return "\(command.commandName) has neither a subcommand nor an argument \(word)"
        }
        if !positional.isRepeating { positionals.removeFirst() }
        continue
      }
      let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
      if Self.common.contains(String(name)) { return nil }
      let known = (command.arguments ?? []).first { $0.names?.contains { $0.name == name } == true }
      guard let known else { return "\(command.commandName) has no option \(word)" }
      if known.kind == "option", !word.contains("=") {
        guard rest.popFirst() != nil else { return "\(word) has no value" }
      }
    }
    return nil
  }

  /// The options of every program, after which nothing else matters.
  private static let common: Set = ["help", "h", "version", "generate-completion-script"]
}
