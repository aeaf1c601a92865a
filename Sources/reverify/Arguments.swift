/// What a command can be given: options with a value, flags without.
struct CommandOption: Sendable {
  let name: String
  /// What stands for the value in help, or nil for a flag.
  let value: String?
  let help: String

  static func option(_ name: String, _ value: String, _ help: String) -> CommandOption {
    CommandOption(name: name, value: value, help: help)
  }

  static func flag(_ name: String, _ help: String) -> CommandOption {
    CommandOption(name: name, value: nil, help: help)
  }
}

/// A command line that can't be followed. Printed with a pointer to the command's help; exit status 64.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The parsed options of one command.
struct Arguments {
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads `--name value`, `--name=value` and flags. Throws for anything else, for an option given twice and for one
  /// without its value.
  init(_ words: [String], allowed: [CommandOption]) throws(UsageError) {
    var words = words[...]
    while let word = words.popFirst() {
      guard word.hasPrefix("--") else { throw UsageError("'\(word)' was not expected here") }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = allowed.first(where: { $0.name == name }) else {
        throw UsageError("there is no option --\(name)")
      }
      guard values[name] == nil, !flags.contains(name) else { throw UsageError("--\(name) is given twice") }
      if let value = option.value {
        guard let given = parts.count == 2 ? String(parts[1]) : words.popFirst(), !given.isEmpty else {
          throw UsageError("--\(name) needs a value: \(value)")
        }
        values[name] = given
      } else {
        guard parts.count == 1 else { throw UsageError("--\(name) takes no value") }
        flags.insert(name)
      }
    }
  }

  /// What was given, in the order of names, for a record of it: of the options in `paths` only the last component, so that
  /// the record says nothing of the machine.
  func commandLine(_ command: String, paths: [String]) -> String {
    let options = values.sorted { $0.key < $1.key }.map { name, value in
      let shown =
        !paths.contains(name)
        ? value
        : value.split(separator: ",").map { $0.split(separator: "/").last ?? $0 }.joined(separator: ",")
      return "--\(name) \(shown)"
    }
    return (["reverify \(command)"] + options + flags.sorted().map { "--\($0)" }).joined(separator: " ")
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  subscript(name: String) -> String? { values[name] }

  /// The value of `name` as a number within `range`, or `fallback` when it isn't given.
  func number<Number: LosslessStringConvertible & Comparable>(
    _ name: String, in range: ClosedRange<Number>, default fallback: Number
  ) throws(UsageError) -> Number {
    try optionalNumber(name, in: range) ?? fallback
  }

  func optionalNumber<Number: LosslessStringConvertible & Comparable>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(UsageError) -> Number? {
    guard let text = values[name] else { return nil }
    guard let number = Number(text), range.contains(number) else {
      throw UsageError("--\(name) is a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
  }

  /// The value of `name` as any finite number, or nil when it isn't given.
  func finite(_ name: String) throws(UsageError) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw UsageError("--\(name) is a number, not '\(text)'")
    }
    return number
  }
}
