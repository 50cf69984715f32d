#include "TenonSums.h"

#include <sqlite3.h>

static void add_row(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  // SQLite sets the bytes to 0 at first.
  tenon_sum *sum = sqlite3_aggregate_context(context, sizeof(tenon_sum));
  if (!sum) return sqlite3_result_error_nomem(context);
  sum->rows++;
  switch (sqlite3_value_type(values[0])) {
  case SQLITE_INTEGER: {
    int64_t number = sqlite3_value_int64(values[0]);
    uint64_t low = sum->low + (uint64_t)number;
    sum->high += (number < 0 ? -1 : 0) + (low < sum->low ? 1 : 0);
    sum->low = low;
    sum->integers++;
    break;
  }
  case SQLITE_FLOAT:
    sum->sum += sqlite3_value_double(values[0]);
    sum->doubles++;
    break;
  }
}

static void return_sum(sqlite3_context *context) {
  tenon_sum *sum = sqlite3_aggregate_context(context, 0);
  static const tenon_sum none = {0};
  sqlite3_result_blob(context, sum ? sum : &none, sizeof(tenon_sum), SQLITE_TRANSIENT);
}

int tenon_add_sum(struct sqlite3 *connection) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  return sqlite3_create_function_v2(
    connection, "tenon_sum", 1, flags, 0, 0, add_row, return_sum, 0
  );
}
