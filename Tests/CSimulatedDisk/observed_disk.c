#include "observed_disk.h"
#include "disk_file.h"

#include <stdlib.h>
#include <string.h>

enum { region_size = 32768, index_header = 96, name_max = 1024 };

// A file that the observer has open. It is looked up at each call, because processes make and remove files.
struct observed_handle {
    sqlite3_file base;
    char name[name_max];
};

// The copy of the shared memory of the log.
static unsigned char *copies[shm_regions_max];

bool observed_disk_refresh(const char *name) {
    struct disk_file *file = disk_file_there(name);
    if (!file) return false;
    static const unsigned char none[index_header];
    const void *header = file->shm[0] ? file->shm[0] : none;
    bool is_new = !copies[0] || memcmp(copies[0], header, index_header) != 0;
    if (!is_new) return false;
    for (int region = 0; region < shm_regions_max; region++) {
        if (!file->shm[region] && !copies[region] && region > 0) continue;
        if (!copies[region]) copies[region] = malloc(region_size);
        if (!copies[region]) abort();
        if (file->shm[region]) {
            memcpy(copies[region], file->shm[region], region_size);
        } else {
            memset(copies[region], 0, region_size);
        }
    }
    return true;
}

// MARK: A file's methods

static struct disk_file *file_of(sqlite3_file *base) {
    return disk_file_there(((struct observed_handle *)base)->name);
}

static int observed_close(sqlite3_file *base) {
    (void)base;
    return SQLITE_OK;
}

static int observed_read(sqlite3_file *base, void *buffer, int count, sqlite3_int64 offset) {
    struct disk_file *file = file_of(base);
    if (file && disk_file_read(file, buffer, (size_t)count, (size_t)offset)) return SQLITE_OK;
    if (!file) memset(buffer, 0, (size_t)count);
    return SQLITE_IOERR_SHORT_READ;
}

static int observed_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    (void)base, (void)bytes, (void)count, (void)offset;
    return SQLITE_READONLY;
}

static int observed_truncate(sqlite3_file *base, sqlite3_int64 size) {
    (void)base, (void)size;
    return SQLITE_READONLY;
}

static int observed_sync(sqlite3_file *base, int flags) {
    (void)base, (void)flags;
    return SQLITE_OK;
}

static int observed_size(sqlite3_file *base, sqlite3_int64 *size) {
    struct disk_file *file = file_of(base);
    *size = file ? (sqlite3_int64)file->size : 0;
    return SQLITE_OK;
}

static int observed_lock(sqlite3_file *base, int level) {
    (void)base, (void)level;
    return SQLITE_OK;
}

static int observed_check_reserved(sqlite3_file *base, int *result) {
    (void)base;
    *result = 0;
    return SQLITE_OK;
}

static int observed_control(sqlite3_file *base, int operation, void *argument) {
    (void)base, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}

static int observed_sector_size(sqlite3_file *base) {
    (void)base;
    return 512;
}

static int observed_characteristics(sqlite3_file *base) {
    (void)base;
    return 0;
}

static int observed_shm_map(sqlite3_file *base, int region, int size, int extends, void volatile **memory) {
    (void)base;
    if (region >= shm_regions_max || size != region_size) return SQLITE_IOERR_SHMMAP;
    if (!copies[region] && extends) copies[region] = calloc(1, region_size);
    *memory = copies[region];
    return SQLITE_OK;
}

static int observed_shm_lock(sqlite3_file *base, int first, int count, int flags) {
    (void)base, (void)first, (void)count, (void)flags;
    return SQLITE_OK;
}

static void observed_shm_barrier(sqlite3_file *base) { (void)base; }

static int observed_shm_unmap(sqlite3_file *base, int deletes) {
    (void)base, (void)deletes;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = observed_close,
    .xRead = observed_read,
    .xWrite = observed_write,
    .xTruncate = observed_truncate,
    .xSync = observed_sync,
    .xFileSize = observed_size,
    .xLock = observed_lock,
    .xUnlock = observed_lock,
    .xCheckReservedLock = observed_check_reserved,
    .xFileControl = observed_control,
    .xSectorSize = observed_sector_size,
    .xDeviceCharacteristics = observed_characteristics,
    .xShmMap = observed_shm_map,
    .xShmLock = observed_shm_lock,
    .xShmBarrier = observed_shm_barrier,
    .xShmUnmap = observed_shm_unmap,
};

// MARK: The file system

static int observed_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given) {
    (void)vfs;
    struct observed_handle *handle = (struct observed_handle *)base;
    memset(handle, 0, sizeof *handle);
    if (!name || strlen(name) >= name_max) return SQLITE_CANTOPEN;
    strcpy(handle->name, name);
    handle->base.pMethods = &methods;
    if (given) *given = (flags & ~SQLITE_OPEN_READWRITE) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static int observed_delete(sqlite3_vfs *vfs, const char *name, int syncs) {
    (void)vfs, (void)name, (void)syncs;
    return SQLITE_READONLY;
}

static int observed_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    (void)vfs, (void)flags;
    struct disk_file *file = disk_file_there(name);
    *result = file && file->size > 0;
    return SQLITE_OK;
}

static int observed_full_path(sqlite3_vfs *vfs, const char *name, int size, char *path) {
    (void)vfs;
    sqlite3_snprintf(size, path, "%s", name);
    return SQLITE_OK;
}

// Nothing of a reader depends on chance.
static int observed_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    memset(bytes, 0, (size_t)count);
    return count;
}

static int observed_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return microseconds;
}

static int observed_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    (void)vfs;
    *milliseconds = 0;
    return SQLITE_OK;
}

static int observed_last_error(sqlite3_vfs *vfs, int size, char *text) {
    (void)vfs, (void)size, (void)text;
    return 0;
}

static sqlite3_vfs disk = {
    .iVersion = 2,
    .szOsFile = sizeof(struct observed_handle),
    .mxPathname = name_max,
    .zName = "observed",
    .xOpen = observed_open,
    .xDelete = observed_delete,
    .xAccess = observed_access,
    .xFullPathname = observed_full_path,
    .xRandomness = observed_randomness,
    .xSleep = observed_sleep,
    .xGetLastError = observed_last_error,
    .xCurrentTimeInt64 = observed_time,
};

void observed_disk_install(void) { sqlite3_vfs_register(&disk, 0); }
