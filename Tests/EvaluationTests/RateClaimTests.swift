import Testing

@testable import Evaluation

@Suite struct RateClaimTests {
  let claim = RateClaim(atMost: .of("1e-4"))

  @Test(
    "the trials needed are the least with which the bound is within the claim", arguments: [0, 1, 2, 10, 100])
  func trialsNeeded(errors: Int) throws {
    let needed = try #require(claim.trialsNeeded(errors: errors))
    #expect(Proportion(errors, of: needed).clopperPearson(sides: .upper).high <= 1e-4)
    #expect(Proportion(errors, of: needed - 1).clopperPearson(sides: .upper).high > 1e-4)
    if errors == 0 { #expect(needed == 29_956) }
  }

  @Test("a claim is upheld exactly when its bound is within it")
  func verdicts() throws {
    #expect(
      claim.verdict(on: Proportion(0, of: 29_956))
        == .upheld(upperBound: Proportion(0, of: 29_956).clopperPearson(sides: .upper).high))
    guard case .tooFewTrials(let bound, let needed) = claim.verdict(on: Proportion(0, of: 10_000)) else {
      Issue.record("10,000 trials without error don't uphold 1e-4")
      return
    }
    #expect(needed == 29_956 && isRelativelyClose(bound, 2.995e-4, within: 1e-3))
    guard case .observedRateTooHigh = claim.verdict(on: Proportion(1, of: 10_000)) else {
      Issue.record("an observed rate of 1e-4 never upholds 1e-4")
      return
    }
    guard case .observedRateTooHigh = claim.verdict(on: Proportion(1, of: 1)) else {
      Issue.record("an error in one trial upholds nothing")
      return
    }
  }

  @Test(
    "with errors seen, the trials needed at that rate uphold the claim and slightly fewer errors don't need more",
    arguments: [(1, 20_000), (3, 60_000), (7, 100_000), (50, 1_000_000)])
  func atObservedRate(errors: Int, trials: Int) throws {
    guard case .tooFewTrials(_, let needed) = claim.verdict(on: Proportion(errors, of: trials)) else {
      guard case .upheld = claim.verdict(on: Proportion(errors, of: trials)) else {
        Issue.record("\(errors) of \(trials) lies below the claim")
        return
      }
      #expect(Proportion(errors, of: trials).clopperPearson(sides: .upper).high <= 1e-4)
      return
    }
    #expect(needed > trials)
    // As many errors as the observed rate makes of `needed` trials, rounded up, are within what upholds it.
    let expected = (needed * errors + trials - 1) / trials
    #expect(Proportion(expected - 1, of: needed).clopperPearson(sides: .upper).high <= 1e-4)
    let allowed = (needed * errors) / trials
    #expect(Proportion(allowed, of: needed).clopperPearson(sides: .upper).high <= 1e-4)
  }

  @Test("a claim beyond reach has no number of trials")
  func beyondReach() {
    #expect(RateClaim(atMost: .of("1e-13")).trialsNeeded(errors: 0) == nil)
    guard case .observedRateTooHigh = RateClaim(atMost: .of("1e-13")).verdict(on: Proportion(0, of: 10))
    else {
      Issue.record("1e-13 would need over 1e12 trials")
      return
    }
  }

  @Test("subjects are counted between all their pairs and one pair each")
  func subjects() {
    #expect(RateClaim.mostSubjects(forNonMatedTrials: 29_956) == 59_912)
    #expect(RateClaim.fewestSubjects(forNonMatedTrials: 29_956) == 246)
    #expect(
      RateClaim.fewestSubjects(forNonMatedTrials: 1) == 2
        && RateClaim.fewestSubjects(forNonMatedTrials: 3) == 3)
    #expect(RateClaim.fewestSubjects(forNonMatedTrials: 4) == 4)
  }
}
