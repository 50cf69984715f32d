/// Adds elements to lists in the text of a manifest or a JSON file.
enum ListEditor {
  /// Returns the text with elements at the end of the list that follows a label, for example `targets:`;
  /// `nil` if the label isn't followed by a list, or occurs several times.
  ///
  /// - Parameters:
  ///   - elements: the elements as text, without commas.
  ///   - label: the text before the list. It counts outside of comments and strings only, unless it begins
  ///     with a quotation mark.
  static func append(_ elements: [String], toListAfter label: String, in text: String) -> String? {
    let (characters, code) = (Array(text), Array(CodeOnly.blanking(text)))
    guard characters.count == code.count else { return nil }
    let places = occurrences(of: Array(label), in: label.hasPrefix("\"") ? characters : code)
    guard places.count == 1, var position = places.first else { return nil }
    position += label.count
    while position < code.count, code[position].isWhitespace { position += 1 }
    guard position < code.count, code[position] == "[", let end = closing(position, in: code) else {
      return nil
    }
    // After an operator or a method, the list isn't the whole value.
    var next = end + 1
    while next < code.count, code[next].isWhitespace { next += 1 }
    guard next < code.count, [",", ")", "}"].contains(code[next]) else { return nil }

    var last = end - 1
    while last > position, isBlank(last, characters, code) { last -= 1 }
    let isEmpty = last == position
    let separator = isEmpty || code[last] == "," ? "" : ","
    let isSwift = !label.hasPrefix("\"")
    let indentation = indentation(of: position, in: characters)
    let lines = elements.map { element in
      element.split(separator: "\n", omittingEmptySubsequences: false).map { "\(indentation)  \($0)" }
        .joined(separator: "\n")
    }
    let comments = String(characters[(last + 1)..<end]).trimmedAtEnd
    return String(characters[...last]) + separator + comments + "\n" + lines.joined(separator: ",\n")
      + (isSwift ? "," : "") + "\n" + indentation + String(characters[end...])
  }

  /// Returns the text with an argument in the only call of a function; `nil` if there is no such call, or
  /// several.
  ///
  /// - Parameters:
  ///   - argument: the argument with its label, without a comma.
  ///   - function: the name of the function.
  ///   - labels: the labels of the arguments that must follow the new one. Without them, it becomes the last.
  static func append(
    _ argument: String, toCallOf function: String, before labels: [String], in text: String
  ) -> String? {
    let (characters, code) = (Array(text), Array(CodeOnly.blanking(text)))
    guard characters.count == code.count else { return nil }
    let places = occurrences(of: Array(function + "("), in: code)
    guard places.count == 1, let start = places.first.map({ $0 + function.count }),
      let end = closing(start, in: code)
    else { return nil }
    let next = labels.flatMap { occurrences(of: Array($0), in: code) }.filter { start < $0 && $0 < end }.min()
    if let next {
      let indentation = indentation(of: next, in: characters)
      return String(characters[..<next]) + "\(argument),\n\(indentation)" + String(characters[next...])
    }
    var last = end - 1
    while last > start, isBlank(last, characters, code) { last -= 1 }
    let separator = last == start || code[last] == "," ? "" : ","
    let indentation = indentation(of: last, in: characters)
    return String(characters[...last]) + "\(separator)\n\(indentation)\(argument)"
      + String(characters[(last + 1)...])
  }

  private static func occurrences(of label: [Character], in code: [Character]) -> [Int] {
    guard code.count >= label.count else { return [] }
    return (0...(code.count - label.count)).filter { start in
      code[start] == label[0] && code[start..<start + label.count].elementsEqual(label)
        && (start == 0 || !(code[start - 1].isLetter || code[start - 1] == "_"))
    }
  }

  /// Whether a character is white space or part of a comment.
  private static func isBlank(_ index: Int, _ characters: [Character], _ code: [Character]) -> Bool {
    // What is left of a string's delimiters is blank in the code, too, so its closing quotation mark counts.
    code[index].isWhitespace && characters[index] != "\""
  }

  private static func closing(_ start: Int, in code: [Character]) -> Int? {
    var depth = 0
    for index in start..<code.count {
      if "([{".contains(code[index]) { depth += 1 }
      if ")]}".contains(code[index]) {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }

  private static func indentation(of index: Int, in characters: [Character]) -> String {
    var start = index
    while start > 0, !characters[start - 1].isNewline { start -= 1 }
    return String(characters[start...].prefix { $0 == " " || $0 == "\t" })
  }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
