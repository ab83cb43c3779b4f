// Counts a thread's allocations, for tests of code that must not allocate. The functions that `fanfare bench
// allocations` preloads (Sources/Bench/malloc-count.c) replace the system's in the test program.
#ifndef FANFARE_CALLOCATIONS_H
#define FANFARE_CALLOCATIONS_H

// True if this program counts: not under a sanitizer, which has its own allocation functions, and only on Linux.
int c_allocations_are_counted(void);

// The number of the calling thread's allocations so far.
unsigned long long c_allocations_of_thread(void);

#endif
