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
    guard !isEmpty else { return .nan }
    var values = self
    return values.withUnsafeMutableBufferPointer { values in
      let middle = values.count / 2
      let upper = values.select(middle)
      guard values.count % 2 == 0 else { return upper }
      // What stands before the selected place is not greater.
      var lower = values[0]
      for index in 1..<middle where values[index] > lower { lower = values[index] }
      return (lower + upper) / 2
    }
  }

  /// The mean, summed in order. Empty: NaN.
  public var mean: Double {
    var sum = 0.0
    for value in self { sum += value }
    return sum / Double(count)
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// The number that would stand at `place` if these were ascending; puts none greater before it and none smaller after.
  ///
  /// Hoare, "Algorithm 65: find" (1961), the pivot the median of three. Expects no NaN; with one the result is any of
  /// these numbers.
  fileprivate func select(_ place: Int) -> Double {
    var (low, high) = (0, count - 1)
    while low < high {
      let (a, b, c) = (self[low], self[low + (high - low) / 2], self[high])
      let pivot = a < b ? (b < c ? b : (a < c ? c : a)) : (a < c ? a : (b < c ? c : b))
      var (i, j) = (low, high)
      repeat {
        while i < high, self[i] < pivot { i += 1 }
        while j > low, pivot < self[j] { j -= 1 }
        if i <= j {
          (self[i], self[j]) = (self[j], self[i])
          i += 1
          j -= 1
        }
      } while i <= j
      if place <= j {
        high = j
      } else if place >= i {
        low = i
      } else {
        break
      }
    }
    return self[place]
  }
}
