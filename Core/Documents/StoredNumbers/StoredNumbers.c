#include "TenonStoredNumbers.h"

#include <string.h>

// The bytes that are left. Functions that return `int` return 0 if the bytes are damaged.
typedef struct Reader {
  const unsigned char *next, *end;
  int depth;
} Reader;

// The tags of `DocumentCoding.Tag`.
enum { NONE, NO, YES, INTEGER, DOUBLE, TIMESTAMP, STRING, BYTES, REFERENCE, GEO_POINT, ARRAY, VECTOR, MAP };

// `Fields.maximumDepth` and 2.
enum { MAXIMUM_DEPTH = 22 };

static uint64_t left(const Reader *reader) { return (uint64_t)(reader->end - reader->next); }

static int read_byte(Reader *reader, unsigned char *byte) {
  if (reader->next == reader->end) return 0;
  *byte = *reader->next++;
  return 1;
}

static int read_varint(Reader *reader, uint64_t *number) {
  *number = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    unsigned char byte;
    if (!read_byte(reader, &byte)) return 0;
    *number |= (uint64_t)(byte & 0x7F) << shift;
    if (!(byte & 0x80)) return 1;
  }
  return 0;
}

// Reads a number of items, each of which takes at least one byte.
static int read_count(Reader *reader, uint64_t *count) {
  return read_varint(reader, count) && *count <= left(reader);
}

static int skip(Reader *reader, uint64_t count) {
  if (count > left(reader)) return 0;
  reader->next += count;
  return 1;
}

// Reads a length, and skips as many bytes, which begin at `content`.
static int read_content(Reader *reader, const unsigned char **content, uint64_t *count) {
  if (!read_count(reader, count)) return 0;
  *content = reader->next;
  return skip(reader, *count);
}

static int skip_content(Reader *reader) {
  const unsigned char *content;
  uint64_t count;
  return read_content(reader, &content, &count);
}

static int skip_value(Reader *reader);

// Skips a count, and as many items.
static int skip_items(Reader *reader, int (*skip_item)(Reader *)) {
  uint64_t count;
  if (!read_count(reader, &count)) return 0;
  for (; count > 0; count--) {
    if (!skip_item(reader)) return 0;
  }
  return 1;
}

static int skip_double(Reader *reader) { return skip(reader, 8); }

static int skip_field(Reader *reader) { return skip_content(reader) && skip_value(reader); }

static int skip_tagged(Reader *reader) {
  unsigned char tag;
  uint64_t number;
  if (!read_byte(reader, &tag)) return 0;
  switch (tag) {
    case NONE: case NO: case YES: return 1;
    case INTEGER: return read_varint(reader, &number);
    case DOUBLE: return skip_double(reader);
    case TIMESTAMP: return read_varint(reader, &number) && read_varint(reader, &number);
    case STRING: case BYTES: return skip_content(reader);
    case REFERENCE: return skip_items(reader, skip_content);
    case GEO_POINT: return skip(reader, 16);
    case ARRAY: return skip_items(reader, skip_value);
    case VECTOR: return skip_items(reader, skip_double);
    case MAP: return skip_items(reader, skip_field);
    default: return 0;
  }
}

static int skip_value(Reader *reader) {
  if (++reader->depth > MAXIMUM_DEPTH) return 0;
  int is_sound = skip_tagged(reader);
  reader->depth--;
  return is_sound;
}

// Moves to the value of a field of a document or map, if it has the field.
static int find(Reader *reader, const unsigned char *name, uint64_t size, int *is_found) {
  uint64_t count;
  if (!read_count(reader, &count)) return 0;
  for (*is_found = 0; count > 0; count--) {
    const unsigned char *other;
    uint64_t other_size;
    if (!read_content(reader, &other, &other_size)) return 0;
    if (other_size == size && memcmp(other, name, size) == 0) return *is_found = 1;
    if (!skip_value(reader)) return 0;
  }
  return 1;
}

static int64_t load(const unsigned char *bytes) {
  uint64_t number = 0;
  for (int index = 7; index >= 0; index--) number = number << 8 | bytes[index];
  return (int64_t)number;
}

// Reads the value at which a reader is.
static int32_t read_number(Reader *reader, int64_t *number) {
  const unsigned char *start = reader->next;
  uint64_t zigzag;
  if (!skip_value(reader)) return TENON_FIELD_IS_DAMAGED;
  switch (*start) {
    case INTEGER: {
      Reader digits = {.next = start + 1, .end = reader->end};
      if (!read_varint(&digits, &zigzag)) return TENON_FIELD_IS_DAMAGED;
      *number = (int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));
      return TENON_FIELD_IS_INTEGER;
    }
    case DOUBLE: *number = load(start + 1); return TENON_FIELD_IS_DOUBLE;
    default: return TENON_FIELD_IS_OTHER;
  }
}

int32_t tenon_stored_number(
  const void *bytes, int64_t count, const void *path, int64_t path_size, int64_t *number
) {
  Reader reader = {.next = bytes, .end = (const unsigned char *)bytes + count};
  Reader names = {.next = path, .end = (const unsigned char *)path + path_size};
  if (!left(&names)) return TENON_FIELD_IS_MISSING;
  for (int is_first = 1; left(&names); is_first = 0) {
    const unsigned char *name;
    uint64_t size;
    int is_found;
    if (!is_first) {
      // Only a map has fields.
      if (!left(&reader)) return TENON_FIELD_IS_DAMAGED;
      if (*reader.next != MAP) return TENON_FIELD_IS_MISSING;
      reader.next++;
      reader.depth++;
    }
    if (!read_content(&names, &name, &size)) return TENON_FIELD_IS_MISSING;
    if (!find(&reader, name, size, &is_found)) return TENON_FIELD_IS_DAMAGED;
    if (!is_found) return TENON_FIELD_IS_MISSING;
  }
  return read_number(&reader, number);
}
