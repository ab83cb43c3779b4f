// Counts what a thread allocates, for tests of what must not allocate: the functions that `fanfare bench allocations`
// preloads (Sources/fanfare/Bench/malloc-count.c) take the place of the system's in the program of the tests.
#ifndef FANFARE_CALLOCATIONS_H
#define FANFARE_CALLOCATIONS_H

// Whether this program counts: not under a sanitizer, which has allocation functions of its own, and on Linux only.
int c_allocations_are_counted(void);

// Allocations of the calling thread so far.
unsigned long long c_allocations_of_thread(void);

#endif
