import Glibc

/// Whether tests that are as long as one likes shall be long: with `REVERIFY_THOROUGH` set.
public let isThorough = getenv("REVERIFY_THOROUGH") != nil
