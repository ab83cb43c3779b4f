#ifndef FANFARE_CLOCK_SHIMS_H
#define FANFARE_CLOCK_SHIMS_H

#include <stdint.h>

/// The CPU time of the calling thread in nanoseconds.
///
/// Written in C because the module to which Swift assigns `timespec` depends on the files compiled beside it.
int64_t fanfare_thread_cpu_nanoseconds(void);

#endif
