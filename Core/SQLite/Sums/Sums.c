#include "TenonSums.h"

#include <sqlite3.h>
#include <string.h>

static void add_integer(tenon_sum *sum, int64_t number) {
  uint64_t low = sum->low + (uint64_t)number;
  sum->high += (number < 0 ? -1 : 0) + (low < sum->low ? 1 : 0);
  sum->low = low;
  sum->integers++;
}

static void add_double(tenon_sum *sum, double number) {
  sum->sum += number;
  sum->doubles++;
}

static void add_row(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  // SQLite sets the bytes to 0 at first.
  tenon_sum *sum = sqlite3_aggregate_context(context, sizeof(tenon_sum));
  if (!sum) return sqlite3_result_error_nomem(context);
  sum->rows++;
  switch (sqlite3_value_type(values[0])) {
  case SQLITE_INTEGER: add_integer(sum, sqlite3_value_int64(values[0])); break;
  case SQLITE_FLOAT: add_double(sum, sqlite3_value_double(values[0])); break;
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

// Sums of numbers in blobs

static void add_number(tenon_sum *sum, int32_t kind, int64_t bits) {
  double number;
  sum->rows++;
  if (kind == TENON_NUMBER_INTEGER) add_integer(sum, bits);
  if (kind != TENON_NUMBER_DOUBLE) return;
  memcpy(&number, &bits, sizeof number);
  add_double(sum, number);
}

static void add_blob(sqlite3_context *context, int count, sqlite3_value **values) {
  tenon_sums *sums = sqlite3_aggregate_context(context, sizeof(tenon_sums));
  tenon_number_reader *reader = sqlite3_user_data(context);
  int32_t kinds[TENON_SUMS_LIMIT];
  int64_t numbers[TENON_SUMS_LIMIT];
  if (!sums) return sqlite3_result_error_nomem(context);
  if (count < 2 || count - 1 > TENON_SUMS_LIMIT) return sqlite3_result_error_toobig(context);
  sums->rows++;
  const void *blob = sqlite3_value_blob(values[0]);
  int64_t size = sqlite3_value_bytes(values[0]);
  for (int index = 0; index < count - 1; index++) {
    const void *path = sqlite3_value_blob(values[index + 1]);
    kinds[index] = (*reader)(blob, size, path, sqlite3_value_bytes(values[index + 1]), &numbers[index]);
    if (kinds[index] == TENON_NUMBER_MISSING) return;
    if (kinds[index] < TENON_NUMBER_INTEGER || kinds[index] > TENON_NUMBER_OTHER) {
      sums->damaged++;
      return;
    }
  }
  sums->counted++;
  for (int index = 0; index < count - 1; index++) add_number(&sums->sums[index], kinds[index], numbers[index]);
}

static void return_sums(sqlite3_context *context) {
  tenon_sums *sums = sqlite3_aggregate_context(context, 0);
  static const tenon_sums none = {0};
  sqlite3_result_blob(context, sums ? sums : &none, sizeof(tenon_sums), SQLITE_TRANSIENT);
}

int tenon_add_sums(struct sqlite3 *connection, tenon_number_reader reader) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  // A pointer to a function can't be passed as a pointer to data.
  tenon_number_reader *data = sqlite3_malloc(sizeof reader);
  if (!data) return SQLITE_NOMEM;
  *data = reader;
  return sqlite3_create_function_v2(
    connection, "tenon_sums", -1, flags, data, 0, add_blob, return_sums, sqlite3_free
  );
}
