#ifndef DISK_FILE_H
#define DISK_FILE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

// A write, or a truncation, that is not synced.
struct disk_write {
    struct disk_write *next;
    bool is_truncation;
    size_t offset, count;
    unsigned char bytes[];
};

enum { shm_regions_max = 256 };

// A file: its content as processes see it, and as the disk has it.
struct disk_file {
    struct disk_file *next;
    char *name;
    bool is_removed;
    unsigned char *bytes, *synced;
    size_t size, room, synced_size, synced_room;
    struct disk_write *unsynced, **last;
    void *shm[shm_regions_max];
};

// An open file of one process, with its locks.
struct disk_handle {
    sqlite3_file base;
    struct disk_handle *next;
    struct disk_file *file;
    int process;
    int level;
    bool deletes_on_close;
    bool has_shm;
    unsigned char shm_shared, shm_exclusive;
};

// Returns the file of this name, made if need be; a file without a name is new. NULL without one.
struct disk_file *disk_file_named(struct disk_file **files, const char *name, bool creates);
void disk_file_remove(struct disk_file **files, struct disk_file *file);
// Returns the disk's file of this name; NULL without one.
struct disk_file *disk_file_there(const char *name);

// Reads; what lies behind the end is zero, and then false is returned.
bool disk_file_read(struct disk_file *file, void *buffer, size_t count, size_t offset);
void disk_file_write(struct disk_file *file, const void *bytes, size_t count, size_t offset);
void disk_file_truncate(struct disk_file *file, size_t size);

// Makes the present content the disk's.
void disk_file_settle(struct disk_file *file);
// Makes the disk's content the present one; the writes since then stay listed.
void disk_file_revert(struct disk_file *file);
// Repeats so many bytes of an unsynced write.
void disk_file_apply(struct disk_file *file, struct disk_write *write, size_t count);

// SQLite's five locks of a file, among all handles.
bool disk_lock(struct disk_handle *handle, int level, struct disk_handle *handles);
void disk_unlock(struct disk_handle *handle, int level);
bool disk_is_reserved(struct disk_file *file, struct disk_handle *handles);

// The shared memory of a write-ahead log and its locks.
void *disk_shm_region(struct disk_handle *handle, int region, size_t size, bool extends);
bool disk_shm_lock(struct disk_handle *handle, int first, int count, int flags, struct disk_handle *handles);
void disk_shm_unmap(struct disk_handle *handle, struct disk_handle **handles);

#endif
