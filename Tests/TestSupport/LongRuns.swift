import Glibc

/// Whether tests run at their full length: `REVERIFY_LONG=1`, as `make test-all` sets.
public enum LongRuns {
  public static let areEnabled = getenv("REVERIFY_LONG").map { String(cString: $0) == "1" } ?? false
}
