import TenonStore

/// A model.
struct Ferry: Codable {
  var name: String
}

/// Encodes and decodes by hand.
func encodeByHand(ferry: Ferry) throws -> Ferry {
  // expect: 'Firestore' has been renamed to 'Store'
  let data = try Firestore.Encoder().encode(ferry)
  // expect: 'Firestore' has been renamed to 'Store'
  return try Firestore.Decoder().decode(Ferry.self, from: data)
}

/// Encodes and decodes by hand, with the type's name already changed.
func encodeByHandRenamed(ferry: Ferry) throws -> Ferry {
  // expect: 'Encoder' has been renamed to 'FieldsEncoder'
  let data = try Store.Encoder().encode(ferry)
  // expect: 'Decoder' has been renamed to 'FieldsDecoder'
  return try Store.Decoder().decode(Ferry.self, from: data)
}
