/// What a benchmark can't do, in words for whoever called it.
public struct BenchmarkError: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// The options of a benchmark: pairs of `--name` and value, each of them known and given once.
public struct Options {
  private var values: [String: String] = [:]

  /// Reads `arguments`. Throws `BenchmarkError` for a name that isn't among `known` or is there twice, and for a name without
  /// a value.
  public init(_ arguments: ArraySlice<String>, known: [String]) throws {
    var rest = arguments
    while let word = rest.popFirst() {
      let name = String(word.drop { $0 == "-" })
      guard word.hasPrefix("--"), known.contains(name) else {
        let names = known.map { "--\($0)" }.joined(separator: ", ")
        throw BenchmarkError("'\(word)' is no option here; there are \(names)")
      }
      guard let value = rest.popFirst() else { throw BenchmarkError("\(word): a value was expected") }
      guard values.updateValue(value, forKey: name) == nil else {
        throw BenchmarkError("\(word) is there twice")
      }
    }
  }

  public func optional(_ name: String) -> String? { values[name] }

  public func text(_ name: String) throws -> String {
    guard let value = values[name] else { throw BenchmarkError("--\(name) is missing") }
    return value
  }

  public func number<Number: LosslessStringConvertible>(
    _ name: String, _ type: Number.Type = Int.self
  ) throws -> Number {
    let value = try text(name)
    guard let number = Number(value) else {
      throw BenchmarkError("--\(name): a number was expected, found '\(value)'")
    }
    return number
  }

  /// The number of an option, `standard` where it isn't given.
  public func number<Number: LosslessStringConvertible>(_ name: String, or standard: Number) throws -> Number
  {
    try values[name] == nil ? standard : number(name, Number.self)
  }
}
