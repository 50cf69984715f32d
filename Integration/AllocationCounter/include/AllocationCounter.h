#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// Returns the number of allocations that the calling thread has made so far; -1 where they can't be counted.
long allocation_count(void);

#endif
