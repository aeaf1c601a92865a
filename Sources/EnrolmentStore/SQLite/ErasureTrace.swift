import Biometrics
import Foundation

/// Bytes by which something erased would be known again in a file: an e-mail address, or an embedding in one of its forms.
public struct ErasureTrace: Sendable {
  /// What it is, without showing it.
  public let name: String
  /// Any of these is a find.
  let patterns: [Data]

  /// The address as it is written, and in its normal form.
  public init(email text: String) {
    name = "e-mail address"
    patterns = Set([text, EmailAddress(text)?.normalised ?? text]).map { Data($0.utf8) }
  }

  /// An embedding of 16 values or more as 32-bit and 16-bit floats, little-endian, and as 8-bit integers scaled to its largest
  /// value, each as given and normalised to length 1. Any 16 values in a row are a find.
  public init(embedding values: [Float], name: String = "embedding") {
    self.name = name
    let length = values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot()
    let normalised = values.map { Float(Double($0) / (length > 0 ? length : 1)) }
    let largest = max(values.map(abs).max() ?? 1, .leastNormalMagnitude)
    let forms = [
      Self.bytes(values.map(\.bitPattern)), Self.bytes(normalised.map(\.bitPattern)),
      Self.bytes(values.map { Self.half($0) }), Self.bytes(normalised.map { Self.half($0) }),
      Self.bytes(values.map { Self.byte($0 / largest * 127) }),
      Self.bytes(normalised.map { Self.byte($0 * 127) }),
    ]
    let window = 16
    patterns = forms.flatMap { form in
      let width = form.count / max(1, values.count)
      return stride(from: 0, through: values.count - window, by: window).map {
        Data(form[(width * $0)..<(width * ($0 + window))])
      }
    }.filter { Set($0).count > 3 }  // A run of zeros is nobody's.
  }

  private static func byte(_ value: Float) -> Int8 {
    value.isFinite ? Int8(max(-127, min(127, value.rounded()))) : 0
  }

  private static func bytes(_ values: [some FixedWidthInteger]) -> [UInt8] {
    values.flatMap { withUnsafeBytes(of: $0.littleEndian) { Array($0) } }
  }

  /// The bits of the nearest 16-bit float (IEEE 754 binary16, ties to even), written out, since not every machine's Swift has it.
  private static func half(_ value: Float) -> UInt16 {
    let sign = UInt16(value.bitPattern >> 16) & 0x8000
    let magnitude = abs(value)
    guard magnitude < 65520 else { return sign | 0x7C00 }
    guard magnitude >= 0x1p-14 else { return sign | UInt16((magnitude * 0x1p24).rounded(.toNearestOrEven)) }
    let rounded = magnitude.bitPattern + 0x0FFF + ((magnitude.bitPattern >> 13) & 1)
    return sign | UInt16((rounded - 0x3800_0000) >> 13)
  }
}
