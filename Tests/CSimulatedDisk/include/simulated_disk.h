#ifndef SIMULATED_DISK_H
#define SIMULATED_DISK_H

#include <stdbool.h>
#include <stdint.h>

// The disk of a simulated machine, as SQLite's default VFS: files in memory, with what is synced apart from what is
// only written.
//
// Processes of the machine share the files and SQLite's locks. The one whose step runs is the process of all calls. An
// observer outside the machine has a VFS of its own (observed_disk.h).

// Makes the disk SQLite's default; before the first database is opened. Chance on it follows from the seed.
void simulated_disk_install(uint64_t seed);

// Names the process whose step runs.
void simulated_disk_enter(int process);

// Ends a process: its locks go, its files fail from now on, and what it has written stays, as after SIGKILL.
void simulated_disk_kill(int process);

// Ends the running process within its step, at the next write but so many; it is marked as killed from then on.
void simulated_disk_kill_after(int writes);

// True if a process was killed.
bool simulated_disk_is_killed(int process);

// Ends the machine: of what is not synced, each write is kept, torn at a sector, or lost. All processes must be killed.
void simulated_disk_lose_power(void);

// Fails the next writes with SQLITE_FULL (full) or SQLITE_IOERR, so many of them.
void simulated_disk_fail(int writes, bool is_full);

// The writes and syncs so far, for the trace.
uint64_t simulated_disk_operations(void);

#endif
