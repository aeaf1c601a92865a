import Glibc

/// A value that one thread at a time may touch, under a POSIX mutex.
///
/// `Synchronization.Mutex` waits on a futex inside the standard library, where ThreadSanitizer can't see who handed
/// the lock to whom: it takes every contended one for a race. POSIX's it knows.
///
/// `@unchecked Sendable`: `value` is reached under `mutex` alone, and is Sendable itself, so that nothing of it that
/// leaves `withLock` is shared unguarded.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  package init(_ initial: Value) {
    mutex = .allocate(capacity: 1)
    let status = pthread_mutex_init(mutex, nil)
    precondition(status == 0, "a lock could not be made: error \(status)")
    value = .allocate(capacity: 1)
    value.initialize(to: initial)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// What `body` makes of the value, while no other thread has it. Waits for whoever has it; not to be nested.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
