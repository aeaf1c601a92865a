import Biometrics
import EmbeddingFiles
import EvaluationCommands
import FaceMatching
import Glibc

enum CompareCommand: Command {
  static let name = "compare"
  static let summary = "score pairs of embeddings (1:1)"
  static let explanation = """
    Prints the pairs' own columns and 'score' as CSV: the cosine of the two rows, -1...1, higher is closer, with all
    significant digits of a 32-bit float. The score is the one that search and decisions use, bit for bit.
    A pair with a row that is no embedding (zeros, NaN) keeps an empty score and is named on stderr; exit status 1.

      reverify compare --data FOLDER                       its pairs.csv
      reverify compare --data FOLDER --pairs pairs.csv
      reverify compare --embeddings a.npy --pairs p.csv    columns row_a and row_b, any others are kept
    """
  static let options =
    EmbeddingInput.options + [
      .option("pairs", "FILE", "a CSV with the columns row_a and row_b; the folder's pairs.csv by default")
    ]

  static func run(_ arguments: Arguments) throws -> Int32 {
    let input = try EmbeddingInput.required(arguments)
    guard let path = arguments["pairs"] ?? input.pairsPath else {
      throw UsageError("which pairs? The data has no pairs.csv: give --pairs FILE")
    }
    let file = try PairsFile.read(path, rowCount: input.matrix.rowCount)
    guard !file.table.columns.contains("score") else {
      throw InputError("\(path), line 1: expected no column score, which is what is added, found one")
    }
    let space = try EmbeddingInput.unnamedSpace(input.matrix, path: input.embeddingsPath)
    let output = Output.standard
    output.write(CSVTable.line(file.table.columns + ["score"]) + "\n")
    var unscored = 0
    for (index, pair) in file.pairs.enumerated() {
      var score = ""
      do throws(EmbeddingError) {
        let left = try input.embedding(pair.rowA, space: space).get()
        let right = try input.embedding(pair.rowB, space: space).get()
        score = "\(try left.score(with: right).value)"
      } catch {
        unscored += 1
        complain("\(path), pair \(index): rows \(pair.rowA), \(pair.rowB): \(error)")
      }
      output.write(CSVTable.line(file.table[index] + [score]) + "\n")
    }
    return unscored == 0 ? ExitStatus.success : ExitStatus.partial
  }
}
