#include "CAllocations.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define NOT_COUNTED
#endif
#endif
#if !defined(__linux__)
#define NOT_COUNTED
#endif

#ifdef NOT_COUNTED

int c_allocations_are_counted(void) { return 0; }
unsigned long long c_allocations_of_thread(void) { return 0; }

#else

// Other threads run other tests.
#define MALLOC_COUNT_OF_THREAD
#include "../../Sources/Bench/malloc-count.c"

int c_allocations_are_counted(void) { return 1; }
unsigned long long c_allocations_of_thread(void) { return of_thread; }

#endif
