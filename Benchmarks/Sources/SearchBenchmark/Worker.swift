import BenchmarkOptions
import FoundationEssentials
import Glibc

/// What is measured: it searches the rows it has loaded for the probes it has loaded.
protocol Participant {
  associatedtype Found
  var introduction: Introduction { get }
  /// The timed part: one call for the probes `range`.
  func search(_ request: Request, probes range: Range<Int>) throws -> Found
  /// The untimed translation of what was found, an answer a probe.
  func answers(_ found: Found) -> [[Hit]]
  /// The answers of the exhaustive scan, for those who define one.
  func exhaustiveAnswers(_ request: Request, probes range: Range<Int>) throws -> [[Hit]]
}

/// A row and its score.
struct Hit {
  let row: Int64
  let score: Float
}

/// The first line that a worker prints.
struct Introduction: Encodable {
  var name: String
  /// Kernels and their level, in words.
  var kernels: String
  var level: String?
  var availableLevels: [String]?
  var processor: String?
  var version: String?
  var count: Int
  var dimension: Int
  var loadSeconds: Double
  var residentBytes: Int
}

/// One line that a worker reads: search for `queries` probes from `first`, wrapping round after `pool`, in calls of
/// `batch`.
struct Request: Decodable {
  enum Operation: String, Decodable {
    case topK, threshold, batch
  }

  let operation: Operation
  let batch: Int
  let first: Int
  let queries: Int
  let pool: Int
  let k: Int
  let threshold: Float
  /// Where the answers are to be written, if anywhere.
  var answer: String?
  /// Whether the answers of the exhaustive scan are wanted; nothing is timed.
  var exhaustive: Bool?
}

/// The line printed for each request: the time of each call.
struct Reply: Encodable {
  var milliseconds: [Double] = []
  var error: String?
}

/// The loop of a worker: requests on standard input, replies on standard output, until the input ends.
enum Worker {
  static func serve<P: Participant>(_ make: () throws -> P) throws {
    let participant = try make()
    try write(participant.introduction)
    while let line = readLine() {
      do {
        let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
        guard request.batch > 0, request.pool > 0, request.pool % request.batch == 0 else {
          throw BenchmarkError("the pool of probes was expected to be a multiple of the batch")
        }
        try write(reply(to: request, from: participant))
      } catch {
        try write(Reply(error: "\(error)"))
      }
    }
  }

  private static func reply<P: Participant>(to request: Request, from participant: P) throws -> Reply {
    var reply = Reply()
    var answers: [[Hit]] = []
    for offset in stride(from: 0, to: request.queries, by: request.batch) {
      let start = (request.first + offset) % request.pool
      let range = start..<start + request.batch
      if request.exhaustive == true {
        answers += try participant.exhaustiveAnswers(request, probes: range)
        continue
      }
      var found: P.Found?
      reply.milliseconds.append(
        try Measurement.milliseconds { found = try participant.search(request, probes: range) })
      if request.answer != nil, let found { answers += participant.answers(found) }
    }
    if let path = request.answer { try write(answers, to: path) }
    return reply
  }

  private static func write(_ message: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(message), as: UTF8.self))
    fflush(nil)
  }

  /// For each probe: u32 number of hits, their rows as i64, their scores as f32, little-endian.
  private static func write(_ answers: [[Hit]], to path: String) throws {
    var bytes: [UInt8] = []
    for hits in answers {
      withUnsafeBytes(of: UInt32(hits.count).littleEndian) { bytes += $0 }
      for hit in hits { withUnsafeBytes(of: hit.row.littleEndian) { bytes += $0 } }
      for hit in hits { withUnsafeBytes(of: hit.score.bitPattern.littleEndian) { bytes += $0 } }
    }
    guard let file = fopen(path, "wb") else { throw BenchmarkError("\(path): can't be written") }
    let written = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, written == bytes.count else {
      throw BenchmarkError("\(path): can't be written whole")
    }
  }

  /// The memory that this process holds now.
  static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Bytes in memory that are the process's own, and those of files that are mapped, from /proc/self/status.
  static func memory() -> (anonymous: Int, file: Int) {
    guard let file = fopen("/proc/self/status", "r") else { return (0, 0) }
    defer { fclose(file) }
    var (own, mapped) = (0, 0)
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split(whereSeparator: \.isWhitespace)
      guard words.count > 1, let kilobytes = Int(words[1]) else { continue }
      if words[0] == "RssAnon:" { own = kilobytes * 1024 }
      if words[0] == "RssFile:" || words[0] == "RssShmem:" { mapped += kilobytes * 1024 }
    }
    return (own, mapped)
  }
}
