import CZlib
import Foundation

/// The pixels of a PNG with 8 bits a channel and no interlacing: what Chromium's screenshots are.
public struct PNGImage {
  public let width: Int
  public let height: Int
  private let channels: Int
  private let pixels: [UInt8]

  /// Nil for anything else.
  public init?(_ path: String) {
    guard let data = FileManager.default.contents(atPath: path).map({ [UInt8]($0) }), data.count > 33 else {
      return nil
    }
    func number(_ at: Int) -> Int { data[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    width = number(16)
    height = number(20)
    let colours = data[25]
    guard data[24] == 8, data[28] == 0, colours == 2 || colours == 6 else { return nil }
    channels = colours == 2 ? 3 : 4
    var packed: [UInt8] = []
    var at = 8
    while at + 12 <= data.count {
      let length = number(at)
      if data[at + 4..<at + 8].elementsEqual("IDAT".utf8) { packed += data[at + 8..<at + 8 + length] }
      at += 12 + length
    }
    let line = width * channels + 1
    var lines = [UInt8](repeating: 0, count: line * height)
    var size = uLongf(lines.count)
    guard uncompress(&lines, &size, packed, uLong(packed.count)) == Z_OK, Int(size) == lines.count else {
      return nil
    }
    pixels = Self.unfiltered(&lines, height: height, line: line, channels: channels)
  }

  private static func unfiltered(_ lines: inout [UInt8], height: Int, line: Int, channels: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: (line - 1) * height)
    lines.withUnsafeBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        for row in 0..<height {
          let filter = source[row * line]
          for column in 0..<line - 1 {
            let place = row * (line - 1) + column
            let left = column >= channels ? Int(target[place - channels]) : 0
            let up = row > 0 ? Int(target[place - line + 1]) : 0
            let corner = row > 0 && column >= channels ? Int(target[place - line + 1 - channels]) : 0
            let guess: Int
            switch filter {
            case 1: guess = left
            case 2: guess = up
            case 3: guess = (left + up) / 2
            case 4:
              let estimate = left + up - corner
              let (a, b, c) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
              guess = a <= b && a <= c ? left : b <= c ? up : corner
            default: guess = 0
            }
            target[place] = UInt8(truncatingIfNeeded: Int(source[row * line + 1 + column]) + guess)
          }
        }
      }
    }
    return result
  }

  /// The share of pixels in a rectangle, cut to the picture, for which `isCounted` holds of red, green and blue.
  public func share(
    x: Range<Int>, y: Range<Int>, _ isCounted: (UInt8, UInt8, UInt8) -> Bool
  ) -> Double {
    let (x, y) = (x.clamped(to: 0..<width), y.clamped(to: 0..<height))
    guard !x.isEmpty, !y.isEmpty else { return 0 }
    var count = 0
    pixels.withUnsafeBufferPointer { pixels in
      for row in y {
        for column in x {
          let place = (row * width + column) * channels
          if isCounted(pixels[place], pixels[place + 1], pixels[place + 2]) { count += 1 }
        }
      }
    }
    return Double(count) / Double(x.count * y.count)
  }
}
