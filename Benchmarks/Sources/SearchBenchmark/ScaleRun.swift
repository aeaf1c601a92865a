import BenchmarkOptions
import Foundation
import ReVerify

/// What a gallery of a given size costs: to build, to keep, to search, to write to a snapshot file and to open again.
struct ScaleRun {
  private let count: Int
  private let dimension: Int
  private let threads: Int
  private let folder: String
  private let keepsRowsInFolder: Bool
  private let key: SnapshotKey?
  private static let organisation: OrganisationID = "benchmark"
  static let options = ["count", "dimension", "folder", "threads", "rows", "sealed"]
  private static let rounds = 21

  init(_ options: Options) throws {
    count = try options.number("count")
    dimension = try options.number("dimension")
    threads = try options.number("threads", or: 1)
    folder = try options.text("folder")
    keepsRowsInFolder = options.optional("rows") == "folder"
    key =
      options.optional("sealed") == "yes"
      ? SnapshotKey([UInt8](repeating: 1, count: SnapshotKey.byteCount)) : nil
    guard count > 0, dimension > 0 else { throw BenchmarkError("a gallery needs rows and dimensions") }
  }

  func run() throws {
    print(
      "\(count) x \(dimension), \(threads) thread(s), rows in \(keepsRowsInFolder ? "a folder" : "memory"), seed 1"
    )
    print("kernels: \(try Kernels.fromEnvironment.get().level.rawValue); \(Processor.name)")
    let path = "\(folder)/scale.snapshot"
    let answers = try write(path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try open(path, expecting: answers)
  }

  private func write(_ path: String) throws -> [[Candidate]] {
    let gallery = try gallery()
    let cohort = SyntheticCohort(seed: 1, dimension: dimension)
    var making = 0.0
    let building = try Measurement.milliseconds {
      for row in 0..<count {
        var embedding: Embedding?
        making += try Measurement.milliseconds {
          embedding = try Embedding(cohort.embedding(subject: row / 2, image: row % 2), space: gallery.space)
        }
        try gallery.enrol(
          Reference(
            organisation: Self.organisation, workflow: "workflow", user: UserID("user-\(row / 2)"),
            session: SessionID("session-\(row)"), approvedAt: Instant(millisecondsSince1970: 0),
            embedding: embedding!))
      }
    }
    print("built in \(seconds(building - making)), embeddings made in \(seconds(making)) besides")
    report("built")
    let answers = try search(gallery)
    let writing = try Measurement.milliseconds {
      try gallery.writeSnapshot(
        of: Self.organisation, to: path, generation: [UInt8](repeating: 0, count: Gallery.generationBytes),
        key: key)
    }
    let bytes = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    print("snapshot of \(gigabytes(bytes)) written in \(seconds(writing)), the disk waited for")
    return answers
  }

  private func open(_ path: String, expecting answers: [[Candidate]]) throws {
    let gallery = try gallery()
    let opening = try Measurement.milliseconds { _ = try gallery.readSnapshot(from: path, key: key) }
    print("snapshot opened, all of it checked, in \(seconds(opening))")
    report("opened")
    guard try search(gallery) == answers else { throw BenchmarkError("the opened gallery answers otherwise") }
    print("answers of the opened gallery: the same")
  }

  private func gallery() throws -> Gallery {
    try Gallery(
      space: .benchmark(dimension: dimension),
      configuration: .init(threadCount: threads, rowFolder: keepsRowsInFolder ? folder : nil))
  }

  /// Answers of top 10, and the times of top 10 and of a threshold search.
  private func search(_ gallery: Gallery) throws -> [[Candidate]] {
    let cohort = SyntheticCohort(seed: 1, dimension: dimension)
    let snapshot = gallery.snapshot(of: Self.organisation)
    var (best, reaching) = ([Double](), [Double]())
    var answers: [[Candidate]] = []
    for round in 0..<Self.rounds {
      let subject = round * 97 % max(1, count / 2)
      let probe = try Embedding(cohort.embedding(subject: subject, image: 7), space: gallery.space)
      best.append(
        try Measurement.milliseconds { answers.append(try snapshot.candidates(for: probe, limit: 10)) })
      reaching.append(
        try Measurement.milliseconds {
          answers.append(try snapshot.candidates(for: probe, threshold: SimilarityThreshold(0.35)!))
        })
    }
    print(
      "top 10: \(milliseconds(Measurement.median(best))) a probe, threshold 0.35: "
        + "\(milliseconds(Measurement.median(reaching))); medians of \(Self.rounds)")
    return answers
  }

  private func report(_ when: String) {
    let memory = Worker.memory()
    print(
      "\(when): \(gigabytes(memory.anonymous)) of memory, \(gigabytes(memory.file)) of files mapped and present"
    )
  }

  private func seconds(_ milliseconds: Double) -> String { String(format: "%.2f s", milliseconds / 1000) }
  private func milliseconds(_ value: Double) -> String { String(format: "%.2f ms", value) }
  private func gigabytes(_ bytes: Int) -> String { String(format: "%.2f GB", Double(bytes) / 1e9) }
}
