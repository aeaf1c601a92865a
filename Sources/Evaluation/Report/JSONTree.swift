/// A JSON value whose members keep their order and whose absent figures are explicit nulls.
public enum JSONTree: Hashable, Sendable {
  case null
  case flag(Bool)
  case count(Int)
  /// A number that is not finite is written as null: JSON has none.
  case number(Double)
  case text(String)
  indirect case list([JSONTree])
  indirect case object([Member])

  /// A name and what it stands for.
  public struct Member: Hashable, Sendable {
    public let name: String
    public let value: JSONTree

    public init(_ name: String, _ value: JSONTree) {
      self.name = name
      self.value = value
    }
  }

  /// An object of these members, in order.
  public static func of(_ members: (String, JSONTree)...) -> JSONTree {
    .object(members.map { Member($0.0, $0.1) })
  }

  public static func number(_ value: Double?) -> JSONTree { value.map { .number($0) } ?? .null }

  /// The member of an object, or nil.
  public subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// This object with a member more; anything else is a programming error and traps.
  public func adding(_ name: String, _ value: JSONTree) -> JSONTree {
    guard case .object(let members) = self else { preconditionFailure("only an object has members") }
    return .object(members + [Member(name, value)])
  }

  /// The value as text, two spaces a level, or on one line.
  public func text(isPretty: Bool = true) -> String {
    var result = ""
    write(to: &result, indent: isPretty ? "\n" : nil)
    return result
  }

  private func write(to text: inout String, indent: String?) {
    switch self {
    case .null: text += "null"
    case .flag(let value): text += value ? "true" : "false"
    case .count(let value): text += String(value)
    case .number(let value): text += value.isFinite ? Self.digits(value) : "null"
    case .text(let value): text += Self.quoted(value)
    case .list(let values):
      Self.write(values, "[", "]", to: &text, indent: indent) { $0.write(to: &$1, indent: $2) }
    case .object(let members):
      Self.write(members, "{", "}", to: &text, indent: indent) {
        $1 += Self.quoted($0.name) + ($2 == nil ? ":" : ": ")
        $0.value.write(to: &$1, indent: $2)
      }
    }
  }

  private static func write<Item>(
    _ items: [Item], _ open: String, _ close: String, to text: inout String, indent: String?,
    _ body: (Item, inout String, String?) -> Void
  ) {
    text += open
    let deeper = indent.map { $0 + "  " }
    for (place, item) in items.enumerated() {
      if place > 0 { text += "," }
      if let deeper { text += deeper }
      body(item, &text, deeper)
    }
    if let indent, !items.isEmpty { text += indent }
    text += close
  }

  /// The shortest digits that give the number again; a whole one without a fraction.
  private static func digits(_ value: Double) -> String {
    let text = value.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{2028}", "\u{2029}", "\u{0}"..."\u{1f}", "<", ">", "&":
        // The last three also, so that the text may stand in a page.
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
