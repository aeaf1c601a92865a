#include "faulty_files.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

struct faulty_file {
  sqlite3_file base;
  sqlite3_file *below;
};

static atomic_long operations_;
static atomic_long failing_;
static atomic_int fault_;

static sqlite3_file *below_(sqlite3_file *file) { return ((struct faulty_file *)file)->below; }
static sqlite3_vfs *vfs_below_(sqlite3_vfs *vfs) { return vfs->pAppData; }

void faulty_files_plan(long operation, enum faulty_files_fault fault) {
  atomic_store(&operations_, 0);
  atomic_store(&failing_, operation);
  atomic_store(&fault_, fault);
}

long faulty_files_operations(void) { return atomic_load(&operations_); }

// The fault of this operation.
static int next_(void) {
  const long number = atomic_fetch_add(&operations_, 1) + 1;
  const int fault = atomic_load(&fault_);
  const int lasts = fault == FAULTY_FILES_FULL || fault == FAULTY_FILES_GONE;
  const long failing = atomic_load(&failing_);
  return number == failing || (lasts && number > failing) ? fault : FAULTY_FILES_NONE;
}

static int write_(sqlite3_file *file, const void *bytes, int amount, sqlite3_int64 offset) {
  const sqlite3_io_methods *methods = below_(file)->pMethods;
  switch (next_()) {
  case FAULTY_FILES_NONE: return methods->xWrite(below_(file), bytes, amount, offset);
  case FAULTY_FILES_FULL: return SQLITE_FULL;
  case FAULTY_FILES_TORN: methods->xWrite(below_(file), bytes, amount / 2, offset); return SQLITE_IOERR_WRITE;
  default: return SQLITE_IOERR_WRITE;
  }
}

static int sync_(sqlite3_file *file, int flags) {
  if (next_() != FAULTY_FILES_NONE) return SQLITE_IOERR_FSYNC;
  return below_(file)->pMethods->xSync(below_(file), flags);
}

static int truncate_(sqlite3_file *file, sqlite3_int64 size) {
  if (next_() != FAULTY_FILES_NONE) return SQLITE_IOERR_TRUNCATE;
  return below_(file)->pMethods->xTruncate(below_(file), size);
}

static int close_(sqlite3_file *file) { return below_(file)->pMethods->xClose(below_(file)); }
static int read_(sqlite3_file *file, void *bytes, int amount, sqlite3_int64 offset) {
  return below_(file)->pMethods->xRead(below_(file), bytes, amount, offset);
}
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

static const sqlite3_io_methods methods_ = {
  2,          close_,       read_,     write_,   truncate_,            sync_,         file_size_,
  lock_,      unlock_,      check_reserved_lock_, file_control_, sector_size_, device_characteristics_,
  shm_map_,   shm_lock_,    shm_barrier_, shm_unmap_, NULL, NULL,
};

static int open_(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *opened) {
  struct faulty_file *faulty = (struct faulty_file *)file;
  faulty->base.pMethods = NULL;
  faulty->below = (sqlite3_file *)(faulty + 1);
  faulty->below->pMethods = NULL;
  const int status = vfs_below_(vfs)->xOpen(vfs_below_(vfs), path, faulty->below, flags, opened);
  if (faulty->below->pMethods != NULL) faulty->base.pMethods = &methods_;
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

int faulty_files_register(void) {
  const int status = sqlite3_initialize();
  if (status != SQLITE_OK) return status;
  static sqlite3_vfs vfs;
  if (sqlite3_vfs_find("faulty") != NULL) return SQLITE_OK;
  sqlite3_vfs *below = sqlite3_vfs_find(NULL);
  vfs.iVersion = 2;
  vfs.szOsFile = (int)sizeof(struct faulty_file) + below->szOsFile;
  vfs.mxPathname = below->mxPathname;
  vfs.zName = "faulty";
  vfs.pAppData = below;
  vfs.xOpen = open_;
  vfs.xDelete = delete_;
  vfs.xAccess = access_;
  vfs.xFullPathname = full_pathname_;
  vfs.xRandomness = randomness_;
  vfs.xSleep = sleep_;
  vfs.xCurrentTime = current_time_;
  vfs.xGetLastError = get_last_error_;
  vfs.xCurrentTimeInt64 = current_time_int64_;
  return sqlite3_vfs_register(&vfs, 0);
}
