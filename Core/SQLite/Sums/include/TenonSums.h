#ifndef TENON_SUMS_H
#define TENON_SUMS_H

#include <stdint.h>

struct sqlite3;

// The result of the SQL aggregate function `tenon_sum`, as the bytes of a blob. SQLite's own `sum` fails if
// integers overflow, and loses digits once a double is among them.
typedef struct tenon_sum {
  // The number of rows.
  int64_t rows;
  // The number of integers, and the low and high half of their exact sum, a two's complement integer.
  int64_t integers;
  uint64_t low;
  int64_t high;
  // The number of doubles, and their sum in the order of the rows.
  int64_t doubles;
  double sum;
} tenon_sum;

// Adds the function, which takes one argument, to a connection. Returns an SQLite result code.
int tenon_add_sum(struct sqlite3 *connection);

// What a `tenon_number_reader` returns.
enum {
  TENON_NUMBER_MISSING = 0,
  TENON_NUMBER_INTEGER = 1,
  TENON_NUMBER_DOUBLE = 2,
  // There is a value, but no number.
  TENON_NUMBER_OTHER = 3,
  // Any other value: the blob can't be read.
};

// Reads a number from a blob in a format that SQLite doesn't know. `path` says where it is, and `number`
// receives the bits of the integer or double.
typedef int32_t (*tenon_number_reader)(
  const void *blob, int64_t size, const void *path, int64_t path_size, int64_t *number
);

// The largest number of sums that are computed together.
enum { TENON_SUMS_LIMIT = 8 };

// The result of the SQL aggregate function `tenon_sums`, as the bytes of a blob. The rows that lack a value
// aren't added.
typedef struct tenon_sums {
  // The number of rows, of those that have all values, and of those that can't be read.
  int64_t rows;
  int64_t counted;
  int64_t damaged;
  // The sums of the rows that have all values, in the order of the paths.
  tenon_sum sums[TENON_SUMS_LIMIT];
} tenon_sums;

// Adds the function to a connection. Its arguments are a blob, and the path of each number in it. Returns an
// SQLite result code.
int tenon_add_sums(struct sqlite3 *connection, tenon_number_reader reader);

#endif
