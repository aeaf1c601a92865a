#ifndef CHECKED_FILES_H
#define CHECKED_FILES_H

// Files of a SQLite database whose pages carry a digest, so that a damaged one is never taken for a good one.
//
// C, since SQLite asks for tables of C functions over memory that it lays out itself.
//
// The database file alone is checked; a log's frames carry SQLite's own checksums. A page is 4,096 bytes, of which the
// last 16 (the bytes SQLite reserves) are the BLAKE2b-128 digest of its number, 8 bytes little-endian, and of its
// first 4,080 bytes. It is written when the page goes to the database file and checked whenever it comes from there.

enum {
  CHECKED_FILES_PAGE_BYTES = 4096,
  CHECKED_FILES_RESERVED_BYTES = 16,
  // More pages than this must not be: unused space in pages is cleared on the way to the file, and only with fewer pages
  // can pages of trees be told from others by their first byte.
  CHECKED_FILES_MAXIMUM_PAGES = (1 << 25) - 1,
};

/// Makes the checked files known to SQLite under `name`, over the files known as `below`, or SQLite's own when that is
/// NULL. Both names must stay in memory. Returns a SQLite result code; the second time, for the same name, nothing happens.
///
/// What is read from a damaged page is SQLITE_IOERR_DATA. Memory mapping is not offered, since it would read past the check.
int checked_files_register(const char *_Nonnull name, const char *_Nullable below);

#endif
