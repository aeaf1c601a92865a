import Evaluation

/// What a command can be given: options with a value, flags without.
package struct CommandOption: Sendable {
  package let name: String
  /// What stands for the value in help, or nil for a flag.
  package let value: String?
  package let help: String

  package static func option(_ name: String, _ value: String, _ help: String) -> CommandOption {
    CommandOption(name: name, value: value, help: help)
  }

  package static func flag(_ name: String, _ help: String) -> CommandOption {
    CommandOption(name: name, value: nil, help: help)
  }
}

/// A command line that can't be followed. Printed with a pointer to the command's help; exit status 64.
package struct UsageError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// The parsed options of one command.
package struct Arguments {
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads `--name value`, `--name=value` and flags. Throws for anything else, for an option given twice and for one
  /// without its value.
  package init(_ words: [String], allowed: [CommandOption]) throws(UsageError) {
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
  package func commandLine(_ command: String, paths: [String]) -> String {
    let options = values.sorted { $0.key < $1.key }.map { name, value in
      let shown =
        !paths.contains(name)
        ? value
        : value.split(separator: ",").map { $0.split(separator: "/").last ?? $0 }.joined(separator: ",")
      return "--\(name) \(shown)"
    }
    return (["reverify \(command)"] + options + flags.sorted().map { "--\($0)" }).joined(separator: " ")
  }

  package func has(_ flag: String) -> Bool { flags.contains(flag) }

  package subscript(name: String) -> String? { values[name] }

  /// The value of `name` as a number within `range`, or `fallback` when it isn't given.
  package func number<Number: LosslessStringConvertible & Comparable>(
    _ name: String, in range: ClosedRange<Number>, default fallback: Number
  ) throws(UsageError) -> Number {
    try optionalNumber(name, in: range) ?? fallback
  }

  package func optionalNumber<Number: LosslessStringConvertible & Comparable>(
    _ name: String, in range: ClosedRange<Number>
  ) throws(UsageError) -> Number? {
    guard let text = values[name] else { return nil }
    guard let number = Number(text), range.contains(number) else {
      throw UsageError("--\(name) is a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
    }
    return number
  }

  /// The value of `name` as any finite number, or nil when it isn't given.
  package func finite(_ name: String) throws(UsageError) -> Double? {
    guard let text = values[name] else { return nil }
    guard let number = Double(text), number.isFinite else {
      throw UsageError("--\(name) is a number, not '\(text)'")
    }
    return number
  }
}

extension Arguments {
  /// Throws where an option is given that would be ignored.
  package func refuse(_ names: [String], because reason: String) throws(UsageError) {
    for name in names where has(name) || self[name] != nil { throw UsageError("--\(name) \(reason)") }
  }

  /// The value of `name` as a rate above 0 and below 1, or nil when it isn't given. A list is refused.
  package func rate(_ name: String) throws(UsageError) -> TargetRate? {
    guard let text = self[name] else { return nil }
    guard let rate = TargetRate(text) else {
      throw UsageError("--\(name) is one rate above 0 and below 1, not '\(text)'")
    }
    return rate
  }

  /// The value of `name` as rates with commas, the highest first, or nil when it isn't given.
  package func rates(_ name: String) throws(UsageError) -> [TargetRate]? {
    guard let text = self[name] else { return nil }
    var rates: [TargetRate] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let rate = TargetRate(String(part)) else {
        throw UsageError("--\(name): '\(part)' is no rate above 0 and below 1")
      }
      guard !rates.contains(rate) else { throw UsageError("--\(name): each rate once") }
      rates.append(rate)
    }
    return rates.sorted(by: >)
  }
}
