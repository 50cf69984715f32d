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

#endif
