import Testing

@testable import Evaluation

@Suite struct SubgroupTests {
  @Test("groups too small for zero errors to uphold the limit are named and left out of the ratios")
  func tooSmall() {
    let rates = SubgroupRates(
      ["a": (10, 1000), "b": (40, 1000), "c": (1, 29), "d": (0, 0)], limit: .of("0.1"))
    #expect(rates.comparisonsNeeded == 29)
    #expect(rates.groups.map(\.name) == ["a", "b", "c", "d"])
    #expect(rates.tooSmall == ["d"], "29 comparisons without error uphold 0.1 at 95 %")
    #expect(SubgroupRates(["c": (1, 28), "d": (0, 29)], limit: .of("0.1")).tooSmall == ["c"])
    #expect(rates.groups[3].rate == nil && rates.groups[3].interval == nil)
    #expect(rates.groups[0].interval == Proportion(10, of: 1000).clopperPearson())
  }

  @Test("the ratios are of the highest rate to the lowest and to the geometric mean")
  func ratios() throws {
    let rates = SubgroupRates(["a": (10, 1000), "b": (40, 1000), "small": (1, 2)], limit: .of("0.1"))
    #expect(rates.highestToLowest == .value(4))
    guard case .value(let ratio) = rates.highestToGeometricMean else {
      Issue.record("two groups are large enough")
      return
    }
    #expect(isClose(ratio, 2, within: 1e-14))
  }

  @Test("a group without errors has no ratio, and neither has a single group")
  func undefined() {
    let noErrors = SubgroupRates(["a": (1, 100), "b": (0, 100)], limit: .of("0.1"))
    #expect(
      noErrors.highestToLowest == .noErrors(group: "b")
        && noErrors.highestToGeometricMean == .noErrors(group: "b"))
    #expect(SubgroupRates(["a": (1, 100), "b": (0, 10)], limit: .of("0.1")).highestToLowest == .tooFewGroups)
    #expect(SubgroupRates([:], limit: .of("0.1")).highestToGeometricMean == .tooFewGroups)
  }
}
