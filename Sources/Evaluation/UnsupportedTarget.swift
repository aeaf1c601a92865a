/// Why the data have no threshold for a target rate.
public enum UnsupportedTarget: Error, Hashable, Sendable {
  /// They allow not one error at it: `trials` were made, `needed` would allow one.
  case tooFewTrials(trials: Int, needed: Int)
  /// More trials than the `allowed` errors have a score of exactly 1, the highest there is, so that no threshold keeps them out.
  case tiedAtOne(trials: Int, allowed: Int)

  /// The reason in words, where the trials are called, for example, "non-mated comparisons".
  public func description(of name: String) -> String {
    switch self {
    case .tooFewTrials(let trials, let needed):
      "not supported by \(trials) \(name); at least \(needed) are needed for one error"
    case .tiedAtOne(let trials, let allowed):
      "not supported: scores of exactly 1 are tied, and more \(name) have them than the \(allowed) of \(trials) that may err"
    }
  }
}

extension TargetOutcome {
  /// The point, made into another; where there is none, why.
  func supported<Other>(
    _ body: (Point) -> Result<Other, UnsupportedTarget>
  ) -> Result<Other, UnsupportedTarget> {
    switch self {
    case .reached(let point): body(point)
    case .notReachable(let trials, let needed): .failure(.tooFewTrials(trials: trials, needed: needed))
    }
  }
}
