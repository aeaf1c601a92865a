import Foundation

/// The form in which records are stored and chained: JSON, keys sorted, no white space, as UTF-8.
enum RecordCoding {
  /// Numbers that JSON has no form for are written as text, so that encoding a record never fails.
  private static let special = ("inf", "-inf", "nan")

  static func encode(_ record: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: special.0, negativeInfinity: special.1, nan: special.2)
    do {
      return Array(try encoder.encode(record))
    } catch {
      preconditionFailure("a record of \(type(of: record)) has no JSON form")
    }
  }

  /// The record in `bytes`; throws `damaged` about `context` for anything else.
  static func decode<Record: Decodable>(
    _ type: Record.Type, from bytes: [UInt8], _ context: @autoclosure () -> String
  ) throws(StoreError) -> Record {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: special.0, negativeInfinity: special.1, nan: special.2)
    do {
      return try decoder.decode(type, from: Data(bytes))
    } catch {
      // What a decoder says may hold what it read.
      throw StoreError(.damaged, context())
    }
  }
}
