#include "bench_statements.h"

#include <sqlite3.h>
#include <stdatomic.h>

static atomic_llong count;

static int add(unsigned event, void *context, void *statement, void *text) {
  (void)event, (void)context, (void)statement, (void)text;
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return 0;
}

static int did_open(sqlite3 *connection) { return sqlite3_trace_v2(connection, SQLITE_TRACE_STMT, add, 0); }

void bench_count_statements(void) { sqlite3_auto_extension((void (*)(void))did_open); }

long long bench_statements(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
