import Biometrics
import Dispatch
import Glibc
import Synchronization

/// Threads for long scans, so that they hold up neither Swift's cooperative pool nor each other.
///
/// A caller of `map` works along and needs no free thread to finish, so nested and simultaneous calls can't
/// block each other; many small searches run side by side, and one large one uses all threads.
final class WorkerPool: Sendable {
  private final class Queue: Sendable {
    private let jobs = Guarded<[@Sendable () -> Void]>([])
    private let isClosed = Atomic(false)
    private let available = DispatchSemaphore(value: 0)

    func add(_ job: @escaping @Sendable () -> Void) {
      jobs.withLock { $0.append(job) }
      available.signal()
    }

    func close(threadCount: Int) {
      isClosed.store(true, ordering: .releasing)
      for _ in 0..<threadCount { available.signal() }
    }

    /// Runs jobs in order of arrival until the queue is closed and empty.
    func work() {
      while true {
        available.wait()
        let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let job {
          job()
        } else if isClosed.load(ordering: .acquiring) {
          return
        }
      }
    }
  }

  /// One call of `map`: items are taken one by one by whoever is free.
  private final class Batch: Sendable {
    private let count: Int
    private let body: @Sendable (Int) -> Void
    private let next = Atomic(0)
    private let finished = Atomic(0)
    private let allFinished = DispatchSemaphore(value: 0)

    init(count: Int, body: @escaping @Sendable (Int) -> Void) {
      self.count = count
      self.body = body
    }

    func work() {
      while true {
        let item = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard item < count else { return }
        body(item)
        if finished.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == count {
          allFinished.signal()
        }
      }
    }

    func wait() {
      allFinished.wait()
      // Pairs with what the workers released, so that all they wrote is seen.
      _ = finished.load(ordering: .acquiring)
    }
  }

  /// Memory for the results of a call, a slot an item.
  ///
  /// `@unchecked Sendable`: each slot is written by the one thread that takes its item, and read when all have ended.
  private final class Slots<Result: Sendable>: @unchecked Sendable {
    let first: UnsafeMutablePointer<Result>
    private let count: Int

    init(count: Int) {
      self.count = count
      first = .allocate(capacity: count)
    }

    /// The results, moved out; all slots are filled.
    func takeAll() -> [Result] {
      (0..<count).map { (first + $0).move() }
    }

    deinit { first.deallocate() }
  }

  let threadCount: Int
  private let queue = Queue()

  init(threadCount: Int) {
    self.threadCount = threadCount
    for _ in 0..<threadCount { Self.start(queue) }
  }

  deinit { queue.close(threadCount: threadCount) }

  /// The results of `body` for each item of 0..<count, in order, made on up to `threadCount` threads, the caller's
  /// included. Blocks the caller until all have ended.
  func map<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) -> [Result] {
    if count <= 0 { return [] }
    let slots = Slots<Result>(count: count)
    let batch = Batch(count: count) { (slots.first + $0).initialize(to: body($0)) }
    for _ in 0..<(min(threadCount, count) - 1) { queue.add { batch.work() } }
    batch.work()
    batch.wait()
    return slots.takeAll()
  }

  /// Runs `body` on a thread of the pool while the caller's task is suspended.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      queue.add { continuation.resume(returning: body()) }
    }
  }

  /// Runs `body` on a thread of the pool, some time.
  func start(_ body: @escaping @Sendable () -> Void) { queue.add(body) }

  private static func start(_ queue: Queue) {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(queue)
    let status = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Queue>.fromOpaque(context!).takeRetainedValue().work()
        return nil
      }, context.toOpaque())
    guard status == 0 else { fatalError("a search thread could not be started: error \(status)") }
    pthread_detach(thread)
  }
}
