import Dispatch

/// Runs an actor's work one after the other on a queue of its own, so that waiting for a disk holds up no thread of Swift's pool.
final class StoreExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ label: String) {
    queue = DispatchQueue(label: label)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
