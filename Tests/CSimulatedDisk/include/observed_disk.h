#ifndef OBSERVED_DISK_H
#define OBSERVED_DISK_H

#include <sqlite3.h>
#include <stdbool.h>

// The simulated disk as an observer outside the machine sees it, as SQLite's VFS "observed": read-only.
//
// It takes no lock and changes nothing: the log's shared memory is a copy that only the observer has. So no process of
// the machine notices it. It reads between steps, when no process is in the middle of a write.

// Adds the VFS; after simulated_disk_install.
void observed_disk_install(void);

// Copies the shared memory of a database's log; returns true if there was a commit since the last call. Call it before
// each read, which otherwise sees the state of the last call.
bool observed_disk_refresh(const char *name);

#endif
