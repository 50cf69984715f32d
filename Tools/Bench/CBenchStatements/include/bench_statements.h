#ifndef BENCH_STATEMENTS_H
#define BENCH_STATEMENTS_H

// Counts the statements that begin on all connections to SQLite which this process opens from now on.
void bench_count_statements(void);

// Returns their number so far.
long long bench_statements(void);

#endif
