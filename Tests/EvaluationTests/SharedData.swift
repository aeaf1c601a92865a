import Foundation
import Testing

@testable import Evaluation

/// A data set of the shared material: embeddings with subjects, pairs, and the reference's figures.
struct SharedData {
  struct Pair {
    let fold, rowA, rowB: Int
    let kind: ComparisonKind
  }

  enum Metric {
    case cosine
    /// The negated distance of the normalised rows.
    case euclideanNormalised
    /// The negated distance of the rows as stored.
    case euclideanRaw
  }

  let dimension: Int
  let rows: Int
  let values: [Double]
  let subjects: [Int]
  let detected: [Bool]
  let pairs: [Pair]
  let baselines: Baselines
  private let norms: [Double]

  static let folder: URL =
    ProcessInfo.processInfo.environment["REVERIFY_SHARED"].map { URL(filePath: $0).appending(path: "data") }
    ?? packageRoot.deletingLastPathComponent().appending(path: "shared/data")

  static func isPresent(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "\(name)/baselines.json").path)
  }

  init(_ name: String) throws {
    let folder = Self.folder.appending(path: name)
    func table(_ file: String) throws -> [[Int]] {
      try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n").dropFirst()
        .map { line in try line.split(separator: ",").map { try #require(Int($0)) } }
    }
    let index = try table("index.csv")
    subjects = index.map { $0[1] }
    detected = index.map { $0[3] == 1 }
    pairs = try table("pairs.csv").map {
      Pair(fold: $0[0], rowA: $0[1], rowB: $0[2], kind: $0[3] == 1 ? .mated : .nonMated)
    }
    baselines = Baselines(
      node: try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "baselines.json")))
    )
    (values, dimension) = try Self.embeddings(Data(contentsOf: folder.appending(path: "embeddings.npy")))
    let (values, dimension) = (values, dimension)
    rows = values.count / dimension
    norms = (0..<rows).map { row in
      values[row * dimension..<(row + 1) * dimension].reduce(0) { $0 + $1 * $1 }.squareRoot()
    }
    try #require(rows == index.count)
  }

  /// Reads the two forms that the shared data have: numpy format 1, C order, little-endian f2 or f4.
  private static func embeddings(_ file: Data) throws -> (values: [Double], dimension: Int) {
    try #require(file.prefix(8).elementsEqual([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0]))
    let start = 10 + Int(file[8]) + Int(file[9]) << 8
    let header = String(decoding: file[10..<start], as: UTF8.self)
    let shape = try #require(header.firstMatch(of: /'fortran_order': False, 'shape': \(\d+, (\d+)\)/))
    let dimension = try #require(Int(shape.1))
    let values: [Double] =
      if header.contains("<f4") {
        widen(file[start...], UInt32.self) { Double(Float(bitPattern: UInt32(littleEndian: $0))) }
      } else {
        widen(file[start...], UInt16.self) { Double(Float16(bitPattern: UInt16(littleEndian: $0))) }
      }
    return (values, dimension)
  }

  private static func widen<Bits>(_ data: Data, _: Bits.Type, _ widen: (Bits) -> Double) -> [Double] {
    data.withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Bits>.size).map {
        widen(bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Bits>.size, as: Bits.self))
      }
    }
  }

  /// The scores of pairs of rows in double precision, as the reference defines them.
  func scores(_ pairs: [(Int, Int)], _ metric: Metric) -> [Double] {
    values.withUnsafeBufferPointer { values in
      pairs.map { a, b in
        let (x, y) = (values.baseAddress! + a * dimension, values.baseAddress! + b * dimension)
        switch metric {
        case .cosine: return dot(x, y) / (norms[a] * norms[b])
        case .euclideanNormalised: return -distance(x, y, norms[a], norms[b])
        case .euclideanRaw: return -distance(x, y, 1, 1)
        }
      }
    }
  }

  private func distance(
    _ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>, _ normX: Double, _ normY: Double
  ) -> Double {
    var sum = 0.0
    for i in 0..<dimension {
      let difference = x[i] / normX - y[i] / normY
      sum += difference * difference
    }
    return sum.squareRoot()
  }

  private func dot(_ x: UnsafePointer<Double>, _ y: UnsafePointer<Double>) -> Double {
    var sum = 0.0
    for i in 0..<dimension { sum += x[i] * y[i] }
    return sum
  }

  /// The scores of all pairs of the rows that `isIncluded` allows.
  func allPairs(_ metric: Metric, isIncluded: (Int) -> Bool = { _ in true }) -> ScoreSet {
    let rows = (0..<rows).filter(isIncluded)
    let pairs = rows.indices.flatMap { b in (0..<b).map { (rows[$0], rows[b]) } }
    let scores = scores(pairs, metric)
    var classes: [ComparisonKind: [Double]] = [.mated: [], .nonMated: []]
    for ((a, b), score) in zip(pairs, scores) {
      classes[subjects[a] == subjects[b] ? .mated : .nonMated]!.append(score)
    }
    return ScoreSet(mated: classes[.mated]!, nonMated: classes[.nonMated]!)
  }

  /// The protocol's pairs with their scores.
  func protocolPairs(_ metric: Metric) -> [FoldedComparison] {
    let scores = scores(pairs.map { ($0.rowA, $0.rowB) }, metric)
    return zip(pairs, scores).map { FoldedComparison(fold: $0.fold, kind: $0.kind, score: $1) }
  }
}

/// The reference's figures, a tree of objects.
struct Baselines {
  let node: Any

  subscript(_ path: String...) -> Baselines {
    get throws {
      try path.reduce(self) { tree, key in
        Baselines(node: try #require((tree.node as? [String: Any])?[key], "no \(path) in the baselines"))
      }
    }
  }

  /// What stands here, in the form asked for.
  func read<Figures: Decodable>(_: Figures.Type = Figures.self) throws -> Figures {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(
      Figures.self, from: JSONSerialization.data(withJSONObject: node, options: .fragmentsAllowed))
  }
}
