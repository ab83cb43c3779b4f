#ifndef FANFARE_CLOCK_SHIMS_H
#define FANFARE_CLOCK_SHIMS_H

#include <stdint.h>

/// The CPU time of the calling thread in nanoseconds.
///
/// In C because which module `timespec` belongs to depends, for Swift, on the files that are compiled beside.
int64_t fanfare_thread_cpu_nanoseconds(void);

#endif
