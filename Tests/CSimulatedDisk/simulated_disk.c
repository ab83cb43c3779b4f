#include "simulated_disk.h"
#include "disk_file.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { processes_max = 1024, sector = 512 };

static struct disk_file *files;
static struct disk_handle *handles;
static int current;
static bool is_killed[processes_max];
static int writes_until_kill = -1;
static int failing_writes;
static bool fails_as_full;
static uint64_t chance;
static uint64_t operations;

struct disk_file *disk_file_there(const char *name) { return disk_file_named(&files, name, false); }

static uint64_t next_chance(void) {
    uint64_t mixed = chance += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

// MARK: Faults

void simulated_disk_enter(int process) { current = process; }

static void drop_locks(struct disk_handle *handle) {
    disk_unlock(handle, SQLITE_LOCK_NONE);
    disk_shm_unmap(handle, &handles);
}

void simulated_disk_kill(int process) {
    is_killed[process] = true;
    for (struct disk_handle *handle = handles; handle; handle = handle->next) {
        if (handle->process == process) drop_locks(handle);
    }
}

void simulated_disk_kill_after(int writes) { writes_until_kill = writes; }

bool simulated_disk_is_killed(int process) { return is_killed[process]; }

void simulated_disk_fail(int writes, bool is_full) {
    failing_writes = writes;
    fails_as_full = is_full;
}

void simulated_disk_lose_power(void) {
    for (struct disk_file *file = files; file; file = file->next) {
        disk_file_revert(file);
        for (struct disk_write *write = file->unsynced; write; write = write->next) {
            uint64_t fate = next_chance() % 3;
            if (fate == 0) continue;
            size_t count = write->count;
            if (fate == 1) count = count > sector ? next_chance() % (count / sector) * sector : 0;
            disk_file_apply(file, write, count);
        }
        disk_file_settle(file);
    }
}

uint64_t simulated_disk_operations(void) { return operations; }

// Returns SQLITE_OK if the running process may change a file.
static int may_write(struct disk_handle *handle) {
    operations += 1;
    if (writes_until_kill >= 0 && writes_until_kill-- == 0) simulated_disk_kill(handle->process);
    if (is_killed[handle->process]) return SQLITE_IOERR;
    if (failing_writes > 0) {
        failing_writes -= 1;
        return fails_as_full ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    }
    return SQLITE_OK;
}

// MARK: A file's methods

static struct disk_handle *handle_of(sqlite3_file *base) { return (struct disk_handle *)base; }

static int disk_close(sqlite3_file *base) {
    struct disk_handle *handle = handle_of(base);
    drop_locks(handle);
    struct disk_handle **link = &handles;
    while (*link && *link != handle) link = &(*link)->next;
    if (*link) *link = handle->next;
    if (handle->deletes_on_close) disk_file_remove(&files, handle->file);
    return SQLITE_OK;
}

static int disk_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    struct disk_handle *handle = handle_of(base);
    if (is_killed[handle->process]) return SQLITE_IOERR_READ;
    return disk_file_read(handle->file, buffer, (size_t)count, (size_t)offset) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

static int disk_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    struct disk_handle *handle = handle_of(base);
    int code = may_write(handle);
    if (code == SQLITE_OK) disk_file_write(handle->file, bytes, (size_t)count, (size_t)offset);
    return code;
}

static int disk_truncate(sqlite3_file *base, sqlite3_int64 size) {
    int code = may_write(handle_of(base));
    if (code == SQLITE_OK) disk_file_truncate(handle_of(base)->file, (size_t)size);
    return code;
}

static int disk_sync(sqlite3_file *base, int flags) {
    (void)flags;
    int code = may_write(handle_of(base));
    if (code == SQLITE_OK) disk_file_settle(handle_of(base)->file);
    return code;
}

static int disk_size(sqlite3_file *base, sqlite3_int64 *size) {
    *size = (sqlite3_int64)handle_of(base)->file->size;
    return SQLITE_OK;
}

static int disk_lock_method(sqlite3_file *base, int level) {
    struct disk_handle *handle = handle_of(base);
    if (is_killed[handle->process]) return SQLITE_IOERR_LOCK;
    return disk_lock(handle, level, handles) ? SQLITE_OK : SQLITE_BUSY;
}

static int disk_unlock_method(sqlite3_file *base, int level) {
    disk_unlock(handle_of(base), level);
    return SQLITE_OK;
}

static int disk_check_reserved(sqlite3_file *base, int *result) {
    *result = disk_is_reserved(handle_of(base)->file, handles);
    return SQLITE_OK;
}

static int disk_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int disk_sector_size(sqlite3_file *base) {
    (void)base;
    return sector;
}

static int disk_characteristics(sqlite3_file *base) {
    (void)base;
    return 0;
}

static int disk_shm_map(sqlite3_file *base, int region, int size, int extends, void volatile **memory) {
    struct disk_handle *handle = handle_of(base);
    if (is_killed[handle->process]) return SQLITE_IOERR_SHMMAP;
    *memory = disk_shm_region(handle, region, (size_t)size, extends != 0);
    return SQLITE_OK;
}

static int disk_shm_lock_method(sqlite3_file *base, int first, int count, int flags) {
    struct disk_handle *handle = handle_of(base);
    if (is_killed[handle->process]) return SQLITE_IOERR_SHMLOCK;
    return disk_shm_lock(handle, first, count, flags, handles) ? SQLITE_OK : SQLITE_BUSY;
}

static void disk_shm_barrier(sqlite3_file *base) { (void)base; }

static int disk_shm_unmap_method(sqlite3_file *base, int deletes) {
    (void)deletes;
    disk_shm_unmap(handle_of(base), &handles);
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = disk_close,
    .xRead = disk_read,
    .xWrite = disk_write,
    .xTruncate = disk_truncate,
    .xSync = disk_sync,
    .xFileSize = disk_size,
    .xLock = disk_lock_method,
    .xUnlock = disk_unlock_method,
    .xCheckReservedLock = disk_check_reserved,
    .xFileControl = disk_control,
    .xSectorSize = disk_sector_size,
    .xDeviceCharacteristics = disk_characteristics,
    .xShmMap = disk_shm_map,
    .xShmLock = disk_shm_lock_method,
    .xShmBarrier = disk_shm_barrier,
    .xShmUnmap = disk_shm_unmap_method,
};

// MARK: The file system

static int disk_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given) {
    (void)vfs;
    struct disk_handle *handle = handle_of(base);
    memset(handle, 0, sizeof *handle);
    if (is_killed[current]) return SQLITE_CANTOPEN;
    handle->file = disk_file_named(&files, name, flags & SQLITE_OPEN_CREATE);
    if (!handle->file) return SQLITE_CANTOPEN;
    handle->base.pMethods = &methods;
    handle->process = current;
    handle->deletes_on_close = !name || flags & SQLITE_OPEN_DELETEONCLOSE;
    handle->next = handles;
    handles = handle;
    if (given) *given = flags;
    return SQLITE_OK;
}

static int disk_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs, (void)syncs;
    if (is_killed[current]) return SQLITE_IOERR_DELETE;
    struct disk_file *file = disk_file_named(&files, name, false);
    if (!file) return SQLITE_IOERR_DELETE_NOENT;
    disk_file_remove(&files, file);
    return SQLITE_OK;
}

static int disk_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs;
    struct disk_file *file = disk_file_named(&files, name, false);
    *result = file && (flags != SQLITE_ACCESS_EXISTS || file->size > 0);
    return SQLITE_OK;
}

static int disk_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    (void)vfs;
    sqlite3_snprintf(size, path, "%s", name);
    return SQLITE_OK;
}

static int disk_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    for (int at = 0; at < count; at++) bytes[at] = (char)next_chance();
    return count;
}

// Nobody else runs while a step waits, so waiting is of no use.
static int disk_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

static int disk_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *milliseconds = 210866760000000 + (sqlite3_int64)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return SQLITE_OK;
}

static int disk_time_in_days(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 milliseconds;
    disk_time(vfs, &milliseconds);
    *days = (double)milliseconds / 86400000;
    return SQLITE_OK;
}

static int disk_last_error(sqlite3_vfs *vfs, int size, char *text) {
    (void)vfs, (void)size, (void)text;
    return 0;
}

static sqlite3_vfs disk = {
    .iVersion = 2,
    .szOsFile = sizeof(struct disk_handle),
    .mxPathname = 1024,
    .zName = "simulated",
    .xOpen = disk_open,
    .xDelete = disk_delete,
    .xAccess = disk_access,
    .xFullPathname = disk_full_path,
    .xRandomness = disk_randomness,
    .xSleep = disk_sleep,
    .xCurrentTime = disk_time_in_days,
    .xGetLastError = disk_last_error,
    .xCurrentTimeInt64 = disk_time,
};

void simulated_disk_install(uint64_t seed) {
    chance = seed;
    sqlite3_initialize();
    sqlite3_vfs_register(&disk, 1);
}
