extension Inspection.Problem: Codable {
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    number = try fields.text("number")
    message = try fields.text("message")
    repairs = try fields.texts("repairs")
    file = try fields.decodeIfPresent(String.self, forKey: "file")
    line = try fields.decodeIfPresent(Int.self, forKey: "line")
    type = try fields.decodeIfPresent(String.self, forKey: "type")
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(number, forKey: "number")
    try fields.encode(message, forKey: "message")
    try fields.encode(repairs, forKey: "repairs")
    try fields.encodeIfPresent(file, forKey: "file")
    try fields.encodeIfPresent(line, forKey: "line")
    try fields.encodeIfPresent(type, forKey: "type")
  }
}

extension Inspection.Requirement: Codable {
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    library = try fields.text("library")
    options = try fields.texts("options")
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(library, forKey: "library")
    try fields.encode(options, forKey: "options")
  }
}

extension Inspection: Codable {
  /// Reads what a program has written. An earlier version of Core writes neither warnings nor requirements.
  package init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: GraphKey.self)
    graph = try fields.decode(ComponentGraph.self, forKey: "graph")
    problems = try fields.decode([Problem].self, forKey: "problems")
    warnings = try fields.decodeIfPresent([Problem].self, forKey: "warnings") ?? []
    requirements = try fields.decodeIfPresent([Requirement].self, forKey: "requirements") ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: GraphKey.self)
    try fields.encode(graph, forKey: "graph")
    try fields.encode(problems, forKey: "problems")
    try fields.encode(warnings, forKey: "warnings")
    try fields.encode(requirements, forKey: "requirements")
  }
}
