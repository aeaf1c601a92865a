import Biometrics

/// One record of a chain as it was found.
package struct ChainLink: Hashable, Sendable {
  /// The number it bears, whatever its place.
  package let sequence: Int64
  /// The digest of its content; `nil` when that can't be read.
  package let content: Digest?
  package let value: Digest?

  package init(sequence: Int64, content: Digest?, value: Digest?) {
    self.sequence = sequence
    self.content = content
    self.value = value
  }
}

extension DecisionChain {
  /// Checks the records found, in the order of their places, against the head kept beside them and one noted earlier.
  ///
  /// Takes one hash a record; where one is wrong, two more a record to tell what happened.
  package func audit(_ links: [ChainLink], head: ChainHead?, noted: ChainHead? = nil) -> ChainAudit {
    guard let head, isGenuine(head) else { return .broken(ChainFault(.head, at: Int64(links.count))) }
    if let noted, !isGenuine(noted) { return .broken(ChainFault(.head, at: noted.sequence)) }
    var previous = start
    for (index, link) in links.enumerated() {
      let sequence = Int64(index + 1)
      guard link.sequence == sequence, let value = link.value, let content = link.content,
        self.value(sequence, content, after: previous) == value
      else { return .broken(ChainFault(fault(at: index, of: links, head), at: sequence)) }
      if let noted, noted.sequence == sequence, noted.value != value {
        return .broken(ChainFault(.setBack, at: sequence))
      }
      previous = value
    }
    let count = Int64(links.count)
    if count < head.sequence { return .broken(ChainFault(.truncated, at: count + 1)) }
    guard count == head.sequence, previous == head.value else { return .broken(ChainFault(.head, at: count)) }
    if let noted, noted.sequence > count { return .broken(ChainFault(.setBack, at: count + 1)) }
    return .intact(head)
  }

  /// What best explains that the link at `index` is the first wrong one.
  private func fault(at index: Int, of links: [ChainLink], _ head: ChainHead) -> ChainFault.Code {
    let sequence = Int64(index + 1)
    let link = links[index]
    if link.sequence != sequence {
      return links[index...].contains { $0.sequence == sequence } || link.sequence < sequence
        ? .reordered : .removed
    }
    if isOutOfPlace(link, in: links) { return .reordered }
    // Renumbered after a removal, a record still follows the one it followed.
    let missing = head.sequence - Int64(links.count)
    guard missing > 0 else { return .edited }
    guard index + 1 < links.count else { return .removed }
    let next = links[index + 1]
    guard let value = link.value, let content = next.content else { return .edited }
    return self.value(next.sequence + missing, content, after: value) == next.value ? .removed : .edited
  }

  /// Whether the link is right in another place, which it had before links changed places.
  private func isOutOfPlace(_ link: ChainLink, in links: [ChainLink]) -> Bool {
    guard let content = link.content, let value = link.value else { return false }
    return links.indices.contains { index in
      let neighbours = [index == 0 ? start : links[index - 1].value, links[index].value]
      return neighbours.contains { previous in
        previous.map { self.value(Int64(index + 1), content, after: $0) == value } ?? false
      }
    }
  }
}
