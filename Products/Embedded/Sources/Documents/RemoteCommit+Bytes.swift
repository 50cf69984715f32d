import Foundation
import TenonDocuments
import TenonStoreInterop

/// The answer to a batch in the form in which documents are kept.
extension RemoteCommit {
  var bytes: Data {
    let results = results.map { result in
      var fields: Fields = ["values": .array(result.transformResults)]
      fields["updated"] = result.updateTime.map { .timestamp($0) }
      return Value.map(fields)
    }
    return DocumentCoding.encode(["time": .timestamp(time), "results": .array(results)])
  }

  init(bytes: Data) throws(DocumentError) {
    let fields = try DocumentCoding.decode(bytes)
    guard case .timestamp(let time)? = fields["time"], let results = fields["results"]?.arrayValue else {
      throw DocumentError(.damaged, "The answer to a batch can't be read.")
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
