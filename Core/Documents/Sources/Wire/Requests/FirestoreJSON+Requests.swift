package import TenonValues

extension FirestoreJSON {
  /// Returns a request in the one form that is decoded: with names in lower camel case, and values of
  /// enumerations by their names.
  ///
  /// - Parameter message: the message.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` for a member that the message doesn't
  ///   have or that occurs twice, and for what no vector can be.
  /// - Complexity: O(*n*) in the size of the request. Parts that have the form already aren't copied.
  package func request(_ message: RequestMessage) throws(DocumentError) -> FirestoreJSON {
    do { return try normalized(message) ?? self } catch { throw error.documentError }
  }

  /// Returns the message in the one form; `nil` if it has this form already.
  private func normalized(_ message: RequestMessage) throws(WireFailure) -> FirestoreJSON? {
    guard case .object(let members) = self else { return nil }
    if message == .value { try checkReference() }
    let table = message.members
    var changed: Members?
    for (index, (name, content)) in members.enumerated() {
      let (camel, shape) = try Self.member(name.string, of: table)
      let result: FirestoreJSON?
      do { result = try content.normalized(shape) } catch { throw error.inMember(name.string) }
      if changed == nil, camel != nil || result != nil {
        changed = Members()
        // Checked: the index of a member.
        for (name, content) in members.prefix(index) { _ = changed?.insert(content, forKey: name) }
      }
      guard changed != nil else { continue }
      let isNew = changed?.insert(result ?? content, forKey: camel.map(UTF8Text.init) ?? name) ?? true
      guard isNew else { throw WireFailure("occurs twice, in two spellings").inMember(name.string) }
    }
    return changed.map(FirestoreJSON.object)
  }

  /// Returns the content of a member in the one form; `nil` if it has this form already.
  private func normalized(_ shape: RequestShape) throws(WireFailure) -> FirestoreJSON? {
    switch (shape, self) {
    case (.plain, _): return nil
    case (.choice(let names), .integer(let number)):
      let index = Int(exactly: number).flatMap { names.indices.contains($0) ? $0 : nil }
      guard let name = index.map({ names[$0] }), !name.isEmpty else {
        throw WireFailure("isn't a value of its enumeration")
      }
      return .string(name)
    case (.choice, _): return nil
    case (.message(.map), _):
      try checkVector()
      return try normalized(.map)
    case (.message(let message), _): return try normalized(message)
    case (.list(let shape), .array(let elements)):
      var changed: [FirestoreJSON]?
      for (index, element) in elements.enumerated() {
        let result: FirestoreJSON?
        do { result = try element.normalized(shape) } catch { throw error.inElement(index) }
        // Checked: the index of an element.
        if changed == nil, result != nil { changed = Array(elements[..<index]) }
        changed?.append(result ?? element)
      }
      return changed.map(FirestoreJSON.array)
    case (.fields, .object(let members)):
      var changed: Members?
      for (index, (name, content)) in members.enumerated() {
        let result: FirestoreJSON?
        do { result = try content.normalized(RequestMessage.value) } catch {
          throw error.inMember(name.string)
        }
        if changed == nil, result != nil {
          changed = Members()
          // Checked: the index of a member.
          for (name, content) in members.prefix(index) { _ = changed?.insert(content, forKey: name) }
        }
        _ = changed?.insert(result ?? content, forKey: name)
      }
      return changed.map(FirestoreJSON.object)
    case (.list, _), (.fields, _): return nil
    }
  }

  /// Finds a member of a message.
  ///
  /// - Returns: its name in lower camel case if it is written differently, and what it holds.
  private static func member(
    _ name: String, of table: [String: RequestShape]
  ) throws(WireFailure) -> (camel: String?, shape: RequestShape) {
    if let shape = table[name] { return (nil, shape) }
    let camel = name.lowerCamelCased
    guard camel != name, let shape = table[camel] else {
      throw WireFailure("is a member that the message doesn't have").inMember(name)
    }
    return (camel, shape)
  }

  /// Checks that a value that is a reference has the name of a document that can exist.
  private func checkReference() throws(WireFailure) {
    guard let name = (self["referenceValue"] ?? self["reference_value"])?.string else { return }
    do throws(DocumentError) {
      let database = try DatabaseName(parsing: name)
      try database.path(of: name).checkDocument()
    } catch {
      throw WireFailure("isn't the name of a document: \(error.message)").inMember("referenceValue")
    }
  }

  /// Checks a map that is a vector: it has nothing but its type and at least one component, and these are
  /// doubles that are numbers. Servers refuse other vectors, while clients read what a server has.
  private func checkVector() throws(WireFailure) {
    guard let fields = self["fields"], fields["__type__"].flatMap(Self.content)?.string == "__vector__",
      case .object(let members) = fields
    else { return }
    guard members.count == 2, let value = fields["value"] else {
      throw WireFailure("is a vector with other members than __type__ and value")
    }
    let components = (value["arrayValue"] ?? value["array_value"])?["values"]?.array ?? []
    guard !components.isEmpty else { throw WireFailure("is a vector without components") }
    for component in components {
      guard let number = (component["doubleValue"] ?? component["double_value"])?.double, !number.isNaN else {
        throw WireFailure("is a vector with a component that isn't a double, or NaN")
      }
    }
  }

  /// Returns the content of a string value.
  private static func content(_ value: FirestoreJSON) -> FirestoreJSON? {
    value["stringValue"] ?? value["string_value"]
  }
}

extension String {
  /// The name of a member in lower camel case, from its name in the protocol's definition.
  package var lowerCamelCased: String {
    guard utf8.contains(UInt8(ascii: "_")) else { return self }
    var name = ""
    var capitalizes = false
    for scalar in unicodeScalars {
      if scalar == "_" {
        capitalizes = true
      } else {
        // Checked: text.
        name += capitalizes ? String(scalar).uppercased() : String(scalar)
        capitalizes = false
      }
    }
    return name
  }
}
