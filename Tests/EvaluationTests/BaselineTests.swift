import Testing

@testable import Evaluation

/// Figures of numpy, scikit-learn, PyEER and bob.measure for the shared data, from scores computed here in double
/// precision. All pairs of LFW take a release build and are no part of this suite.
@Suite struct BaselineTests {
  struct Summary: Decodable {
    let n: Int
    let mean, std: Double
    let percentiles: [Double]

    enum CodingKeys: String, CodingKey {
      case n, mean, std
      case percentiles = "percentiles0152550759599100"
    }
  }

  struct Other: Decodable {
    struct Rates: Decodable {
      let fmr, fnmr, thresholdGe: Double
    }

    let auc: Double
    let eer, eerArgmin, eerLow, eerHigh: Double?
    let fmrOpNearest: [String: Rates]?
  }

  struct Bob: Decodable {
    struct Rates: Decodable {
      let threshold, far, frr: Double
    }

    let eer, far, frr: Double
    let farThreshold: [String: Rates]
  }

  struct Identification: Decodable {
    struct AtRate: Decodable {
      let thresholdGt, fpir, fnir: Double
      let missed: Int
    }

    struct AtThreshold: Decodable {
      let fpir, fnir: Double
    }

    let enrolled, matedProbes, nonmatedProbes: Int
    let rank1HitRateClosedSet, rank5HitRateClosedSet, rank20HitRateClosedSet: Double
    let atFpir: [String: AtRate]
    let atThreshold: [String: AtThreshold]
  }

  static let small = ["orl-dlib", "orl-edgeface"]
  static let all = small + ["lfw-dlib", "lfw-edgeface"]

  @Test(
    "all pairs of ORL have the reference's rates",
    .enabled(if: small.allSatisfy(SharedData.isPresent), "the shared data are not there"), arguments: small)
  func allPairs(name: String) throws {
    let data = try SharedData(name)
    for (metric, key) in [(SharedData.Metric.cosine, "cosine"), (.euclideanRaw, "euclidean_raw")] {
      let scores = data.allPairs(metric)
      try data.baselines["all_pairs", key, "eer"].read(ReferenceSet.EER.self).expectEqual(
        scores.equalErrorRate())
      try data.baselines["all_pairs", key, "fnmr_at_fmr"].read([String: ReferenceSet.AtTarget?].self)
        .expectEqual { try scores.errorRates(atFalseMatchRate: $0) }
      #expect(isClose(try scores.decidability(), try data.baselines["all_pairs", key, "d_prime"].read()))
      for (kind, name) in [(ComparisonKind.mated, "genuine"), (.nonMated, "impostor")] {
        let expected = try data.baselines["all_pairs", key, name].read(Summary.self)
        let found = try #require(scores.summary(of: kind))
        #expect(found.count == expected.n)
        #expect(isClose(found.mean, expected.mean) && isClose(found.standardDeviation, expected.std))
        let proportions = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1]
        for (proportion, percentile) in zip(proportions, expected.percentiles) {
          #expect(isClose(try #require(scores.quantile(proportion, of: kind)), percentile))
        }
      }
      if metric == .cosine {
        try compareWithOthers(data.baselines["all_pairs", "cosine", "third_party"], scores)
      }
    }
    if data.detected.contains(false) {
      let key = "all_pairs_detected_only_cosine"
      let scores = data.allPairs(.cosine) { data.detected[$0] }
      try data.baselines[key, "eer"].read(ReferenceSet.EER.self).expectEqual(scores.equalErrorRate())
      try data.baselines[key, "fnmr_at_fmr"].read([String: ReferenceSet.AtTarget?].self)
        .expectEqual { try scores.errorRates(atFalseMatchRate: $0) }
    }
  }

  @Test(
    "a stream of all pairs of ORL gives the same as the whole set",
    .enabled(if: small.allSatisfy(SharedData.isPresent), "the shared data are not there"), arguments: small)
  func streamed(name: String) throws {
    let scores = try SharedData(name).allPairs(.cosine)
    var stream = StreamedScores(bins: 1 << 14, tailCapacity: 100)
    StreamedScoresTests.feed(scores, to: &stream)
    #expect(try StreamedScoresTests.expectEqual(scores, stream) > 0)
  }

  @Test(
    "the protocol's pairs have the reference's cross-validated accuracy",
    .enabled(if: all.allSatisfy(SharedData.isPresent), "the shared data are not there"), arguments: all)
  func folds(name: String) throws {
    let data = try SharedData(name)
    for (metric, key) in [
      (SharedData.Metric.cosine, "cosine"), (.euclideanNormalised, "euclidean_l2norm"),
      (.euclideanRaw, "euclidean_raw"),
    ] {
      let comparisons = data.protocolPairs(metric)
      try data.baselines["kfold", key].read(ReferenceFolds.self).expectEqual(FoldedAccuracy(comparisons))
      guard metric == .cosine else { continue }
      let scores = ScoreSet(
        mated: comparisons.filter { $0.kind == .mated }.compactMap(\.score),
        nonMated: comparisons.filter { $0.kind == .nonMated }.compactMap(\.score))
      try compareWithOthers(data.baselines["official_pairs_cosine", "third_party"], scores)
    }
  }

  /// scikit-learn's, PyEER's and bob.measure's figures: what is defined alike is equal, and what is defined otherwise is
  /// explained by our curve.
  private func compareWithOthers(_ figures: Baselines, _ scores: ScoreSet) throws {
    let rate = try scores.equalErrorRate()

    let sklearn = try figures["sklearn"].read(Other.self)
    #expect(isClose(sklearn.auc, try scores.areaUnderCurve()))
    #expect(isClose(try #require(sklearn.eerArgmin), rate.argmin.value))

    let pyeer = try figures["on_subset", "pyeer"].read(Other.self)
    #expect(isClose(pyeer.auc, try scores.areaUnderCurve()))
    #expect(isClose(try #require(pyeer.eer), rate.interval.midpoint))
    #expect(isClose(try #require(pyeer.eerLow), rate.interval.low))
    #expect(isClose(try #require(pyeer.eerHigh), rate.interval.high))
    // PyEER takes the point whose FMR is nearest to the target, on either side of it.
    let curve = try scores.errorRateCurve()
    for (name, expected) in try #require(pyeer.fmrOpNearest) {
      let target = TargetRate.of(name).value
      let nearest = try #require(curve.map { abs($0.falseMatchRate.value - target) }.min())
      #expect(isClose(abs(expected.fmr - target), nearest))
    }

    // bob.measure reports the rates at thresholds of its own choice; at those ours are equal.
    let bob = try figures["on_subset", "bob.measure"].read(Bob.self)
    #expect(isClose(bob.eer, (bob.far + bob.frr) / 2))
    for expected in bob.farThreshold.values {
      // Its thresholds are scores, or the double after one; ours differ from its scores in the last digits.
      let near = curve.filter { abs($0.threshold - expected.threshold) < 1e-12 }.map(\.threshold)
      let candidates = try (near + [expected.threshold] + near.map(\.nextUp)).map {
        try scores.errorRates(at: $0)
      }
      #expect(
        candidates.contains {
          isClose($0.falseMatchRate.value, expected.far) && isClose($0.falseNonMatchRate.value, expected.frr)
        })
    }
  }

  @Test(
    "open-set identification on ORL has the reference's rates",
    .enabled(if: small.allSatisfy(SharedData.isPresent), "the shared data are not there"), arguments: small)
  func identification(name: String) throws {
    let data = try SharedData(name)
    let expected = try data.baselines["open_set_identification"].read(Identification.self)
    let found = try Self.search(data)
    #expect(found.enrolled == expected.enrolled && found.mated.count == expected.matedProbes)
    #expect(found.nonMatedBestScores.count == expected.nonmatedProbes)
    for (rank, rate) in [
      (1, expected.rank1HitRateClosedSet), (5, expected.rank5HitRateClosedSet),
      (20, expected.rank20HitRateClosedSet),
    ] {
      #expect(isClose(try found.hitRate(rank: rank).value, rate))
    }
    for name in ["1e-1", "1e-2", "1e-3"] {
      let point = try found.rates(atFalsePositiveRate: .of(name)).point
      #expect((point == nil) == (expected.atFpir[name] == nil))
      guard let point, let rates = expected.atFpir[name] else { continue }
      #expect(isClose(point.thresholdAbove, rates.thresholdGt, within: 1e-6))
      #expect(point.falseNegativeRate.count == rates.missed)
      #expect(
        isClose(point.falsePositiveRate.value, rates.fpir)
          && isClose(point.falseNegativeRate.value, rates.fnir))
    }
    for (threshold, rates) in expected.atThreshold {
      let threshold = try #require(Double(threshold))
      #expect(isClose(try found.falsePositiveRate(at: threshold).value, rates.fpir))
      #expect(isClose(try found.falseNegativeRate(at: threshold).value, rates.fnir))
    }
  }

  /// The reference's protocol: subjects at even positions are enrolled with their first row.
  private static func search(_ data: SharedData) throws -> IdentificationSet {
    let ids = Set(data.subjects).sorted()
    let enrolled = stride(from: 0, to: ids.count, by: 2).map { ids[$0] }
    let references = enrolled.map { data.subjects.firstIndex(of: $0)! }
    var mated: [MatedSearch] = []
    var nonMated: [Double] = []
    for row in 0..<data.rows where !references.contains(row) {
      let scores = data.scores(references.map { (row, $0) }, .cosine)
      if let mate = enrolled.firstIndex(of: data.subjects[row]) {
        mated.append(MatedSearch(scores: scores, mate: mate))
      } else {
        nonMated.append(scores.max()!)
      }
    }
    return try IdentificationSet(enrolled: references.count, mated: mated, nonMatedBestScores: nonMated)
  }
}
