/// Why a figure can't be given. Codes only: no score, no identity.
public enum EvaluationError: Error, Hashable, Sendable {
  /// A rate over mated comparisons was asked of a set without any.
  case noMatedComparisons
  /// A rate over non-mated comparisons was asked of a set without any.
  case noNonMatedComparisons
  /// Cross-validation needs two folds at least, each with a comparison that has a score.
  case tooFewFolds(found: Int)
  /// No scored comparison lies outside `fold`, so no threshold can be chosen for it.
  case noTrainingComparisons(fold: Int)
  /// All scores of both classes are equal, so a distance between the classes in units of their spread is
  /// undefined.
  case noSpread
  /// An identification rate was asked of searches over an empty set of references.
  case noEnrolledReferences
  /// More references were to be enrolled than the data have subjects for.
  case tooFewToEnrol(wanted: Int, found: Int)
  /// FNIR or a hit rate was asked of results without a mated search.
  case noMatedSearches
  /// FPIR was asked of results without a non-mated search.
  case noNonMatedSearches
  /// FRR was asked of transactions of which none is by the right person.
  case noMatedTransactions
  /// FAR was asked of transactions of which none is by somebody else.
  case noNonMatedTransactions
  /// BPCER was asked of responses of which none is to a bona fide presentation.
  case noBonaFidePresentations
  /// No attack presentation of this species got a response; of any species, when `nil`.
  case noAttackPresentations(species: String?)
  /// The exact answer lies between the tails: it takes a second pass that collects `scores` scores.
  case secondPassNeeded(scores: Int)
  /// The second pass saw `found` scores where the first had counted `expected`: not the same comparisons.
  case secondPassDiffers(found: Int, expected: Int)
  /// Not one bootstrap replicate had enough comparisons for the statistic.
  case noDefinedReplicate
  /// The listed non-mated comparisons outnumber those that the rows of the subjects can form.
  case tooManyComparisons(listed: Int, possible: Int)
}

extension EvaluationError: CustomStringConvertible {
  /// What is missing or wrong, with counts; safe to log.
  public var description: String {
    switch self {
    case .noMatedComparisons: "no mated comparison has a score, so FNMR is undefined"
    case .noNonMatedComparisons: "no non-mated comparison has a score, so FMR is undefined"
    case .tooFewFolds(let found): "cross-validation needs at least 2 folds with scores, found \(found)"
    case .noTrainingComparisons(let fold):
      "no scored comparison outside fold \(fold) to choose a threshold on"
    case .noSpread: "the scores of both classes have no spread, so d' is undefined"
    case .noEnrolledReferences: "no reference is enrolled, so there is nothing to identify against"
    case .tooFewToEnrol(let wanted, let found):
      "\(wanted) references were to be enrolled, and every other subject of the data makes \(found)"
    case .noMatedSearches: "no mated search has a result, so FNIR is undefined"
    case .noNonMatedSearches: "no non-mated search has a result, so FPIR is undefined"
    case .noMatedTransactions: "no mated transaction, so FRR is undefined"
    case .noNonMatedTransactions: "no non-mated transaction, so FAR is undefined"
    case .noBonaFidePresentations: "no bona fide presentation has a response, so BPCER is undefined"
    case .noAttackPresentations(let species?):
      "no attack presentation of species \(species) has a response, so its APCER is undefined"
    case .noAttackPresentations(nil): "no attack presentation has a response, so APCER is undefined"
    case .secondPassNeeded(let scores):
      "the exact answer needs a second pass, which collects \(scores) scores"
    case .secondPassDiffers(let found, let expected):
      "the second pass collected \(found) scores where the first counted \(expected)"
    case .noDefinedReplicate: "no bootstrap replicate has enough comparisons for this statistic"
    case .tooManyComparisons(let listed, let possible):
      "\(listed) non-mated comparisons are listed, but the subjects' rows form only \(possible)"
    }
  }
}
