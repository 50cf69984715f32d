import TenonDocuments
import TenonFoundation
import TenonStoreInterop

/// The encoding of a commit's result, which uses the encoding of documents.
extension RemoteCommit {
  /// The encoded result.
  var bytes: Data {
    let results = results.map { result in
      var fields: Fields = ["values": .array(result.transformResults)]
      fields["updated"] = result.updateTime.map { .timestamp($0) }
      return Value.map(fields)
    }
    return DocumentCoding.encode(["time": .timestamp(time), "results": .array(results)])
  }

  /// Decodes a result.
  ///
  /// - Throws: `DocumentError` with `damaged`.
  ///
  /// - Parameter bytes: the value of ``bytes`` when the batch was applied.
  init(bytes: Data) throws(DocumentError) {
    let fields = try DocumentCoding.decode(bytes)
    guard case .timestamp(let time)? = fields["time"], let results = fields["results"]?.arrayValue else {
      throw DocumentError(.damaged, "The stored result of a batch is damaged.")
    }
    self.init(
      time: time,
      results: results.map { value in
        let fields = value.mapValue ?? Fields()
        var result = Result(transformResults: fields["values"]?.arrayValue ?? [])
        if case .timestamp(let updated)? = fields["updated"] { result.updateTime = updated }
        return result
      }
    )
  }
}
