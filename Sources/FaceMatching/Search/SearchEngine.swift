import Biometrics
import CFaceKernels
import Glibc

/// Exact search over a view of a partition: a first pass picks rows by a proven bound, the defined reduction decides.
final class SearchEngine: Sendable {
  let kernels: Kernels
  let pool: WorkerPool
  /// The BLAS that batches use, where it is the faster or the chosen first pass.
  let blas: OpenBLAS?

  /// Rows below which a second thread costs more than it saves.
  private static let rowsPerThread = 8192
  /// Probes from which a matrix product pays.
  private static let blasBatch = 4

  init(configuration: Gallery.Configuration) throws(GalleryError) {
    kernels = try Self.kernels(at: configuration.level)
    let threadCount = configuration.threadCount ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    guard threadCount >= 1 else { throw GalleryError(.threadCount(threadCount)) }
    pool = WorkerPool(threadCount: threadCount)
    blas = try Self.blas(for: configuration.batchFirstPass, level: kernels.level)
  }

  private static func kernels(at level: KernelLevel?) throws(GalleryError) -> Kernels {
    do throws(KernelSelectionError) {
      if let level { return try Kernels(level: level) }
      return try Kernels.fromEnvironment.get()
    } catch {
      throw GalleryError(.kernels(error))
    }
  }

  private static func blas(
    for choice: Gallery.Configuration.BatchFirstPass, level: KernelLevel
  ) throws(GalleryError) -> OpenBLAS? {
    // On narrow registers without dot products of bytes a good BLAS is the faster.
    let prefersBLAS = level == .scalar || level == .avx2
    if choice == .int8 || (choice == .automatic && !prefersBLAS) { return nil }
    switch OpenBLAS.shared {
    case .success(let blas): return blas
    case .failure(let reason):
      if choice == .automatic { return nil }
      throw GalleryError(.blasUnavailable(reason.description))
    }
  }

  /// The results of each probe, best first. All probes have the dimension of the view's rows.
  func search(_ probes: [[Float]], in view: PartitionView, _ request: SearchRequest) -> [[Candidate]] {
    guard request.limit > 0, view.segmentCount > 0, !probes.isEmpty else { return probes.map { _ in [] } }
    // A BLAS reads every row in full.
    if let blas, probes.count >= Self.blasBatch, !view.readsRowsFromFile {
      return search(probes, in: view, request, firstPass: BLASFirstPass(probes, blas: blas))
    }
    return search(probes, in: view, request, firstPass: CodedFirstPass(probes, kernels: kernels))
  }

  private func search(
    _ probes: [[Float]], in view: PartitionView, _ request: SearchRequest, firstPass: some FirstPass
  ) -> [[Candidate]] {
    let scan = Scan(view: view, probes: probes, request: request, kernels: kernels)
    let shares = scan.shares(
      atMost: pool.threadCount, unitRows: firstPass.unitRows, rowsPerShare: Self.rowsPerThread)
    let parts = pool.map(shares.count) { scan.run(over: shares[$0], firstPass: firstPass) }
    // Few probes are divided among the threads, each taking every so-manieth.
    let workerCount = min(probes.count, pool.threadCount)
    let finished = pool.map(workerCount) { worker in
      stride(from: worker, to: probes.count, by: workerCount).map { probe in
        scan.finish(probe, parts: parts.map { $0[probe] })
      }
    }
    return probes.indices.map { finished[$0 % workerCount][$0 / workerCount] }
  }

  /// The results among the references with these enrolment numbers, all scored by the defined reduction.
  func search(_ probe: [Float], numbers: [UInt64], in view: PartitionView, _ request: SearchRequest)
    -> [Candidate]
  {
    let scan = Scan(view: view, probes: [probe], request: request, kernels: kernels)
    return scan.results(numbers.compactMap(view.location).map { (scan.score(0, at: $0), $0) })
  }
}
