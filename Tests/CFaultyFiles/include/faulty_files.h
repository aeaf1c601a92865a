#ifndef FAULTY_FILES_H
#define FAULTY_FILES_H

// Files of a SQLite database whose writes fail when a test says so. One plan for the whole process.

enum faulty_files_fault {
  FAULTY_FILES_NONE = 0,
  // One write, sync or truncation fails, and nothing of it is done.
  FAULTY_FILES_ERROR = 1,
  // Half of a write is done, and it fails.
  FAULTY_FILES_TORN = 2,
  // From here on nothing that writes succeeds: the disk is full.
  FAULTY_FILES_FULL = 3,
  // From here on nothing that writes succeeds: the disk is gone.
  FAULTY_FILES_GONE = 4,
};

/// Makes the faulty files known to SQLite as "faulty", over its own. Returns a SQLite result code.
int faulty_files_register(void);

/// Lets the `operation`-th write, sync or truncation from now fail, 1 for the next.
void faulty_files_plan(long operation, enum faulty_files_fault fault);

/// Operations since the last plan.
long faulty_files_operations(void);

#endif
