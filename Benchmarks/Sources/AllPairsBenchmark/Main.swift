import Foundation
import ReVerify

/// All pairs of a synthetic cohort, streamed: time, memory beyond the embeddings, comparisons a second, and a digest of the
/// counts. Writes the rows to a file first when asked, so that other programs take the same.
///
///   AllPairsBenchmark rows FILE COUNT DIMENSION         f32 rows of length 1, five images a subject, as .npy
///   AllPairsBenchmark score FILE THREADS                reads them and scores all pairs
@main
struct Main {
  static let imagesPerSubject = 5

  static func main() throws {
    let words = CommandLine.arguments.dropFirst().map { $0 }
    switch words.first {
    case "rows" where words.count == 4:
      try writeRows(words[1], count: Int(words[2])!, dimension: Int(words[3])!)
    case "score" where words.count == 3: try score(words[1], threads: Int(words[2])!)
    default:
      FileHandle.standardError.write(
        Data("AllPairsBenchmark rows FILE COUNT DIMENSION | score FILE THREADS\n".utf8))
      exit(64)
    }
  }

  private static func writeRows(_ path: String, count: Int, dimension: Int) throws {
    let space = EmbeddingSpace(
      model: "synthetic", weightsDigest: "seed-1", dimension: dimension, preprocessing: "none")
    let cohort = SyntheticCohort(seed: 1, dimension: dimension)
    var header = "{'descr': '<f4', 'fortran_order': False, 'shape': (\(count), \(dimension)), }"
    header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
    var data = Data([
      0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, UInt8(header.utf8.count % 256),
      UInt8(header.utf8.count / 256),
    ])
    data += Data(header.utf8)
    for row in 0..<count {
      let raw = cohort.embedding(subject: row / imagesPerSubject, image: row % imagesPerSubject)
      try Embedding(raw, space: space).values.withUnsafeBufferPointer { data.append(Data(buffer: $0)) }
    }
    try data.write(to: URL(filePath: path))
  }

  private static func score(_ path: String, threads: Int) throws {
    let data = try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
    let headerEnd = 10 + Int(data[8]) + Int(data[9]) << 8
    let header = String(decoding: data[10..<headerEnd], as: UTF8.self)
    guard let shape = header.firstMatch(of: /'shape': \((\d+), (\d+)\)/), let count = Int(shape.1),
      let dimension = Int(shape.2)
    else { preconditionFailure("no shape in \(path)") }
    let start = ContinuousClock.now
    let pairs = try AllPairs(count: count, dimension: dimension, threadCount: threads) { row, place in
      data.withUnsafeBytes { bytes in
        let from = headerEnd + row * dimension * 4
        UnsafeMutableRawBufferPointer(place).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[from..<from + dimension * 4]))
      }
    }
    let subjects = (0..<count).map { $0 / imagesPerSubject }
    let parts = pairs.accumulate {
      StreamedScores()
    } visit: { sink, row, first, scores in
      let end = min(max((subjects[row] + 1) * imagesPerSubject - first, 0), scores.count)
      if end > 0 { sink.add(UnsafeBufferPointer(rebasing: scores[..<end]), .mated) }
      if end < scores.count { sink.add(UnsafeBufferPointer(rebasing: scores[end...]), .nonMated) }
    }
    var streamed = parts[0]
    for part in parts.dropFirst() { streamed.merge(part) }
    let rate = try streamed.errorRates(atFalseMatchRate: TargetRate(1, in: 1_000_000)!)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let comparisons = count * (count - 1) / 2
    var figures: [(String, String)] = [
      ("rows", "\(count)"), ("dimension", "\(dimension)"), ("threads", "\(threads)"),
      ("comparisons", "\(comparisons)"), ("seconds", "\(seconds)"),
      ("comparisonsPerSecond", "\(Double(comparisons) / seconds)"),
      // What is resident beyond the packed rows and the file, which is mapped and read once.
      ("peakBytes", "\(peakBytes())"), ("embeddingBytes", "\(count * dimension * 4)"),
      ("mated", "\(streamed.mated.total)"), ("nonMated", "\(streamed.nonMated.total)"),
      ("meanNonMated", "\(streamed.nonMated.summary!.mean)"), ("binWidth", "\(streamed.binWidth)"),
    ]
    if let point = rate.point {
      figures.append(("threshold1e-6", "\(point.rates.threshold)"))
      figures.append(("falseNonMatches", "\(point.rates.falseNonMatchRate.count)"))
    }
    print("{" + figures.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}")
  }

  /// The most anonymous memory that was resident: what the process itself holds, without the mapped file.
  private static func peakBytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func kilobytes(_ name: String) -> Int {
      let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
      return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
    return (kilobytes("VmHWM:") - kilobytes("RssFile:")) * 1024
  }
}
