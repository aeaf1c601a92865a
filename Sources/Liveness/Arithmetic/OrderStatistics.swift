extension Array where Element == Double {
  /// The quantile at `probability` of these numbers, already ascending: linear between the neighbouring ones.
  ///
  /// Hyndman & Fan, "Sample quantiles in statistical packages" (1996), definition 7. Empty: NaN.
  public func quantileOfSorted(_ probability: Double) -> Double {
    guard let last = self.last else { return .nan }
    let position = probability * Double(count - 1)
    let below = Int(position.rounded(.down))
    guard below + 1 < count else { return last }
    return self[below] + (self[below + 1] - self[below]) * (position - Double(below))
  }

  /// The quantile at `probability`, 0...1, of these numbers in any order. Empty: NaN.
  public func quantile(_ probability: Double) -> Double { sorted().quantileOfSorted(probability) }

  /// The middle number, or the mean of the two middle ones. Empty: NaN.
  public var median: Double {
    let ascending = sorted()
    guard let last = ascending.last else { return .nan }
    let middle = count / 2
    if count == 1 { return last }
    return count % 2 == 1 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2
  }

  /// The mean, summed in order. Empty: NaN.
  public var mean: Double {
    var sum = 0.0
    for value in self { sum += value }
    return sum / Double(count)
  }
}
