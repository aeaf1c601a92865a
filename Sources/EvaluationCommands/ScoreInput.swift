import EmbeddingFiles
import Evaluation

/// Scores that a command works on, from one file or two.
package struct ScoreInput {
  package let scores: [ScoredComparison]
  package let files: [String]

  package static let options: [CommandOption] = [
    .option("scores", "FILE", "instead: a file of scores, higher is closer"),
    .option(
      "form", "FORM", "of --scores: header (default), four, five (bob's), code (a b score return-code)"),
    .option("mated", "FILE", "instead: scores of mated comparisons, the last column of each line"),
    .option("non-mated", "FILE", "with --mated: those of non-mated ones"),
    .flag("llr", "the scores are natural-log likelihood ratios, so that Cllr has a meaning"),
  ]

  package static func isGiven(_ arguments: Arguments) -> Bool {
    ["scores", "mated", "non-mated"].contains { arguments[$0] != nil }
  }

  package static func read(_ arguments: Arguments) throws -> ScoreInput {
    switch (arguments["scores"], arguments["mated"], arguments["non-mated"]) {
    case (let path?, nil, nil):
      let name = arguments["form"] ?? ScoreFile.Form.header.rawValue
      guard let form = ScoreFile.Form(rawValue: name) else {
        throw UsageError("--form: no form '\(name)'; header, four, five or code")
      }
      if form != .header, arguments["group"] != nil {
        throw UsageError("--group names a column of a header, and --form \(name) has none")
      }
      let input = ScoreInput(try ScoreFile.read(path, form: form, group: arguments["group"]), files: [path])
      var kinds: [String: ComparisonKind] = [:]
      for score in input.scores {
        guard let transaction = score.transaction else { continue }
        guard kinds.updateValue(score.kind, forKey: transaction) ?? score.kind == score.kind else {
          throw InputError("\(path): expected the attempts of a transaction to be all mated or all non-mated")
        }
      }
      return input
    case (nil, let mated?, let nonMated?):
      for option in ["form", "group"] where arguments[option] != nil {
        throw UsageError("--\(option) is about --scores, and two files are given")
      }
      return ScoreInput(try ScoreFile.read(mated: mated, nonMated: nonMated), files: [mated, nonMated])
    default:
      throw UsageError("give --scores FILE, or both --mated FILE and --non-mated FILE")
    }
  }

  private init(_ file: ScoreFile, files: [String]) {
    var numbers: [Substring: Int] = [:]
    func number(_ name: Substring) -> Int {
      let number = numbers[name, default: numbers.count]
      numbers[name] = number
      return number
    }
    scores = file.rows.map { row in
      ScoredComparison(
        kind: row.isMated ? .mated : .nonMated, score: row.score,
        failure: row.failure.map { $0 == .toEnrol ? .toEnrol : .toAcquire },
        subjects: row.subjects.map { (number($0.0), number($0.1)) }, group: row.group,
        transaction: row.transaction)
    }
    self.files = files
  }
}
