/// The greatest `capacity` of the values offered to it, the least of them on top. O(log capacity) an offer.
struct BoundedHeap {
  let capacity: Int
  private(set) var values: [Float] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// The least of the `capacity` greatest values, or nil while there are fewer.
  var least: Float? { capacity > 0 && values.count == capacity ? values[0] : nil }

  mutating func offer(_ value: Float) {
    if values.count < capacity {
      values.append(value)
      siftUp(values.count - 1)
    } else if capacity > 0, value > values[0] {
      values[0] = value
      siftDown(0)
    }
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0, values[child] < values[(child - 1) / 2] {
      values.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private mutating func siftDown(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < values.count && values[child] < values[least] {
        least = child
      }
      if least == parent { return }
      values.swapAt(parent, least)
      parent = least
    }
  }
}
