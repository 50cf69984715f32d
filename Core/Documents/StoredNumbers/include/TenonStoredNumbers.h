#ifndef TENON_STORED_NUMBERS_H
#define TENON_STORED_NUMBERS_H

#include <stdint.h>

// What `tenon_stored_number` has found.
enum {
  // The document lacks the field.
  TENON_FIELD_IS_MISSING = 0,
  TENON_FIELD_IS_INTEGER = 1,
  TENON_FIELD_IS_DOUBLE = 2,
  // The field has a value that isn't a number.
  TENON_FIELD_IS_OTHER = 3,
  // The bytes up to the end of the value aren't those of a document.
  TENON_FIELD_IS_DAMAGED = 4,
};

// Reads a number from a stored document, whose format is described at `DocumentCoding`. It finds what
// `StoredField` finds, but can be called by SQLite for each row of a sum.
//
// - bytes, count: the document.
// - path, path_size: the names of the field's path, each as its length, an unsigned varint, and its UTF-8
//   bytes.
// - number: receives the bits of an integer or double.
//
// Returns one of the values above. No bytes make it read beyond their end.
int32_t tenon_stored_number(
  const void *bytes, int64_t count, const void *path, int64_t path_size, int64_t *number
);

#endif
