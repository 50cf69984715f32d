#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

/// How often the calling thread has asked for memory so far; -1 where that can't be counted.
long allocation_count(void);

#endif
