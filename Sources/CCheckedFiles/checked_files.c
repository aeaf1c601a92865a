#include "checked_files.h"

#include <sodium.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = CHECKED_FILES_PAGE_BYTES, CHECK = CHECKED_FILES_RESERVED_BYTES };

// What SQLite allocates for a file: this, and behind it the file below.
struct checked_file {
  sqlite3_file base;
  sqlite3_file *below;
};

static sqlite3_file *below_(sqlite3_file *file) { return ((struct checked_file *)file)->below; }

static sqlite3_vfs *vfs_below_(sqlite3_vfs *vfs) { return vfs->pAppData; }

static void digest_(const unsigned char *page, sqlite3_int64 number, unsigned char digest[CHECK]) {
  unsigned char place[8];
  for (int i = 0; i < 8; i++) place[i] = (unsigned char)((sqlite3_uint64)number >> (8 * i));
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, CHECK);
  crypto_generichash_update(&state, place, sizeof place);
  crypto_generichash_update(&state, page, PAGE - CHECK);
  crypto_generichash_final(&state, digest, CHECK);
}

static int is_page_(int amount, sqlite3_int64 offset) { return amount == PAGE && offset % PAGE == 0; }

static int read_(sqlite3_file *file, void *bytes, int amount, sqlite3_int64 offset) {
  const int status = below_(file)->pMethods->xRead(below_(file), bytes, amount, offset);
  if (status != SQLITE_OK) return status;
  if (!is_page_(amount, offset)) {
    // The file's header and its change counter are looked at before the first page is read whole.
    return offset < 100 && offset + amount <= 100 ? SQLITE_OK : SQLITE_IOERR_DATA;
  }
  unsigned char digest[CHECK];
  digest_(bytes, offset / PAGE + 1, digest);
  return memcmp(digest, (unsigned char *)bytes + PAGE - CHECK, CHECK) == 0 ? SQLITE_OK : SQLITE_IOERR_DATA;
}

static int number_(const unsigned char *bytes) { return bytes[0] << 8 | bytes[1]; }

// Overwrites what no row uses in a page of a tree. SQLite clears what is deleted, but a row that was moved before, to another
// page or within its own, leaves a copy in space that is free from then on.
// Layout: "B-tree Pages", sqlite.org/fileformat2.html, section 1.6.
static void clear_unused_(unsigned char *page, sqlite3_int64 number) {
  const int header = number == 1 ? 100 : 0;
  const int type = page[header];
  // Other pages begin with the number of a page, whose first byte is 0 or 1 as long as there are fewer than 2^25.
  if (type != 2 && type != 5 && type != 10 && type != 13) return;
  const int end = PAGE - CHECK;
  const int gap = header + (type < 8 ? 12 : 8) + 2 * number_(page + header + 3);
  const int content = number_(page + header + 5);
  if (gap > content || content > end) return;
  memset(page + gap, 0, (size_t)(content - gap));
  int block = number_(page + header + 1);
  while (block >= content && block + 4 <= end) {
    const int next = number_(page + block);
    const int length = number_(page + block + 2);
    if (length < 4 || block + length > end || (next != 0 && next <= block)) return;
    memset(page + block + 4, 0, (size_t)(length - 4));
    block = next;
  }
}

static int write_(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset) {
  if (!is_page_(amount, offset)) return SQLITE_IOERR_WRITE;
  unsigned char page[PAGE];
  memcpy(page, bytes, PAGE - CHECK);
  clear_unused_(page, offset / PAGE + 1);
  digest_(page, offset / PAGE + 1, page + PAGE - CHECK);
  return below_(file)->pMethods->xWrite(below_(file), page, amount, offset);
}

// The rest goes to the file below unchanged.

static int close_(sqlite3_file *file) { return below_(file)->pMethods->xClose(below_(file)); }
static int truncate_(sqlite3_file *file, sqlite3_int64 size) {
  return below_(file)->pMethods->xTruncate(below_(file), size);
}
static int sync_(sqlite3_file *file, int flags) { return below_(file)->pMethods->xSync(below_(file), flags); }
static int file_size_(sqlite3_file *file, sqlite3_int64 *size) {
  return below_(file)->pMethods->xFileSize(below_(file), size);
}
static int lock_(sqlite3_file *file, int level) { return below_(file)->pMethods->xLock(below_(file), level); }
static int unlock_(sqlite3_file *file, int level) { return below_(file)->pMethods->xUnlock(below_(file), level); }
static int check_reserved_lock_(sqlite3_file *file, int *result) {
  return below_(file)->pMethods->xCheckReservedLock(below_(file), result);
}
static int file_control_(sqlite3_file *file, int operation, void *argument) {
  return below_(file)->pMethods->xFileControl(below_(file), operation, argument);
}
static int sector_size_(sqlite3_file *file) { return below_(file)->pMethods->xSectorSize(below_(file)); }
static int device_characteristics_(sqlite3_file *file) {
  return below_(file)->pMethods->xDeviceCharacteristics(below_(file));
}
static int shm_map_(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  return below_(file)->pMethods->xShmMap(below_(file), region, size, extend, memory);
}
static int shm_lock_(sqlite3_file *file, int offset, int count, int flags) {
  return below_(file)->pMethods->xShmLock(below_(file), offset, count, flags);
}
static void shm_barrier_(sqlite3_file *file) { below_(file)->pMethods->xShmBarrier(below_(file)); }
static int shm_unmap_(sqlite3_file *file, int delete) {
  return below_(file)->pMethods->xShmUnmap(below_(file), delete);
}

// Version 2: the third brings memory mapping.
static const sqlite3_io_methods methods_ = {
  2,         close_,  read_,               write_,        truncate_,    sync_,
  file_size_, lock_,   unlock_,             check_reserved_lock_, file_control_, sector_size_,
  device_characteristics_, shm_map_, shm_lock_, shm_barrier_, shm_unmap_, NULL, NULL,
};

static int open_(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
  sqlite3_vfs *below = vfs_below_(vfs);
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return below->xOpen(below, path, file, flags, opened);
  struct checked_file *checked = (struct checked_file *)file;
  checked->base.pMethods = NULL;
  checked->below = (sqlite3_file *)(checked + 1);
  checked->below->pMethods = NULL;
  const int status = below->xOpen(below, path, checked->below, flags, opened);
  // SQLite closes what has methods, even after a failure; so what is open below must be.
  if (checked->below->pMethods != NULL) checked->base.pMethods = &methods_;
  return status;
}

static int delete_(sqlite3_vfs *vfs, const char *path, int sync) {
  return vfs_below_(vfs)->xDelete(vfs_below_(vfs), path, sync);
}
static int access_(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  return vfs_below_(vfs)->xAccess(vfs_below_(vfs), path, flags, result);
}
static int full_pathname_(sqlite3_vfs *vfs, const char *path, int size, char *result) {
  return vfs_below_(vfs)->xFullPathname(vfs_below_(vfs), path, size, result);
}
static int randomness_(sqlite3_vfs *vfs, int count, char *bytes) {
  return vfs_below_(vfs)->xRandomness(vfs_below_(vfs), count, bytes);
}
static int sleep_(sqlite3_vfs *vfs, int microseconds) {
  return vfs_below_(vfs)->xSleep(vfs_below_(vfs), microseconds);
}
static int current_time_(sqlite3_vfs *vfs, double *time) {
  return vfs_below_(vfs)->xCurrentTime(vfs_below_(vfs), time);
}
static int current_time_int64_(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return vfs_below_(vfs)->xCurrentTimeInt64(vfs_below_(vfs), time);
}
static int get_last_error_(sqlite3_vfs *vfs, int size, char *text) {
  return vfs_below_(vfs)->xGetLastError(vfs_below_(vfs), size, text);
}

int checked_files_register(const char *name, const char *below_name) {
  if (sodium_init() < 0) return SQLITE_ERROR;
  const int status = sqlite3_initialize();
  if (status != SQLITE_OK) return status;
  if (sqlite3_vfs_find(name) != NULL) return SQLITE_OK;
  sqlite3_vfs *below = sqlite3_vfs_find(below_name);
  if (below == NULL || below->iVersion < 2) return SQLITE_NOTFOUND;
  // Kept until the process ends: SQLite holds a pointer to it.
  sqlite3_vfs *vfs = calloc(1, sizeof *vfs);
  if (vfs == NULL) return SQLITE_NOMEM;
  vfs->iVersion = 2;
  vfs->szOsFile = (int)sizeof(struct checked_file) + below->szOsFile;
  vfs->mxPathname = below->mxPathname;
  vfs->zName = name;
  vfs->pAppData = below;
  vfs->xOpen = open_;
  vfs->xDelete = delete_;
  vfs->xAccess = access_;
  vfs->xFullPathname = full_pathname_;
  vfs->xRandomness = randomness_;
  vfs->xSleep = sleep_;
  vfs->xCurrentTime = current_time_;
  vfs->xGetLastError = get_last_error_;
  vfs->xCurrentTimeInt64 = current_time_int64_;
  return sqlite3_vfs_register(vfs, 0);
}
