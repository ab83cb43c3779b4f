#ifndef SIMULATED_PROCESS_H
#define SIMULATED_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// The clocks and the chance of a process whose only thread is simulated.
//
// A program that links this has its own clock_gettime, getrandom, getentropy and syscall. All libraries of the process
// call them, so drivers read the simulated clocks through NIODeadline, ContinuousClock, DispatchTime and SQLite without
// knowing. Until simulated_process_begin they are the system's.

// Sets what the clocks show, in nanoseconds; the scheduler sets them before each step to those of the step's host.
void simulated_clocks_set(int64_t monotonic, int64_t wall);

// True if this build can simulate: not under a sanitizer, and on Linux only.
bool simulated_process_is_possible(void);

// Begins the simulation: from now on the clocks stand still between steps, and chance and hashing follow from the seed.
void simulated_process_begin(uint64_t seed);

// Ends the simulation: clocks and chance are the system's again.
void simulated_process_end(void);

// Creates a child process; Swift does not import fork. Only for a process with one thread.
pid_t simulated_process_fork(void);

// Waits for a child; returns its exit code, or 128 + the number of the signal that ended it.
int simulated_process_wait(pid_t child);

#endif
