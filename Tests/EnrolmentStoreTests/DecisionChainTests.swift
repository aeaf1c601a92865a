import Biometrics
import EnrolmentStore
import TestSupport
import Testing

@Suite("The chain of decisions")
struct DecisionChainTests {
  private let chain = DecisionChain(key: .random(), organisation: "bank")

  private func links(_ count: Int) -> (links: [ChainLink], head: ChainHead) {
    var links: [ChainLink] = []
    var previous = chain.start
    for number in 0..<count {
      let content = Digest(of: [UInt8(number)])
      previous = chain.value(Int64(number + 1), content, after: previous)
      links.append(ChainLink(sequence: Int64(number + 1), content: content, value: previous))
    }
    return (links, chain.head(Int64(count), previous))
  }

  /// The same links, numbered by their places.
  private func renumbered(_ links: [ChainLink]) -> [ChainLink] {
    links.enumerated().map {
      ChainLink(sequence: Int64($0 + 1), content: $1.content, value: $1.value)
    }
  }

  @Test("an untouched chain is intact, at any length", arguments: [0, 1, 2, 17])
  func intact(count: Int) {
    let (links, head) = links(count)
    #expect(chain.audit(links, head: head) == .intact(head))
  }

  @Test("a removed record is found in every place, numbers closed up or not", arguments: [false, true])
  func removed(isRenumbered: Bool) {
    let (links, head) = links(7)
    for place in 0..<6 {
      var left = links
      left.remove(at: place)
      if isRenumbered { left = renumbered(left) }
      let fault = ChainFault(.removed, at: Int64(place + 1))
      #expect(chain.audit(left, head: head) == .broken(fault), "place \(place)")
    }
  }

  @Test("records missing at the end are found, and so are all")
  func truncated() {
    let (links, head) = links(7)
    for left in 0..<7 {
      let fault = ChainFault(.truncated, at: Int64(left + 1))
      #expect(chain.audit(Array(links.prefix(left)), head: head) == .broken(fault))
    }
  }

  @Test("an edited or unreadable record is found in every place")
  func edited() {
    let (links, head) = links(7)
    for place in 0..<7 {
      let link = links[place]
      let altered = [
        ChainLink(sequence: link.sequence, content: Digest(of: [99]), value: link.value),
        ChainLink(sequence: link.sequence, content: link.content, value: Digest(of: [99])),
        ChainLink(sequence: link.sequence, content: nil, value: link.value),
        ChainLink(sequence: link.sequence, content: nil, value: nil),
      ]
      for edited in altered {
        var all = links
        all[place] = edited
        #expect(chain.audit(all, head: head) == .broken(ChainFault(.edited, at: Int64(place + 1))))
      }
    }
  }

  @Test("two records that changed places are found, numbers with them or not", arguments: [false, true])
  func reordered(isRenumbered: Bool) {
    let (links, head) = links(7)
    for first in 0..<7 {
      for second in (first + 1)..<7 where first < 6 {
        var all = links
        all.swapAt(first, second)
        if isRenumbered { all = renumbered(all) }
        let fault = ChainFault(.reordered, at: Int64(first + 1))
        #expect(chain.audit(all, head: head) == .broken(fault), "\(first) and \(second)")
      }
    }
  }

  @Test("a head that is missing, older, or made with another key is found")
  func head() {
    let (links, head) = links(5)
    #expect(chain.audit(links, head: nil) == .broken(ChainFault(.head, at: 5)))
    let older = chain.head(4, links[3].value!)
    #expect(chain.audit(links, head: older) == .broken(ChainFault(.head, at: 5)))
    let foreign = DecisionChain(key: .random(), organisation: "bank").head(5, head.value)
    #expect(chain.audit(links, head: foreign) == .broken(ChainFault(.head, at: 5)))
  }

  @Test("a store set back as a whole is found by a head noted before")
  func setBack() {
    let (links, head) = links(5)
    let before = Array(links.prefix(3))
    let beforeHead = chain.head(3, before[2].value!)
    #expect(chain.audit(before, head: beforeHead) == .intact(beforeHead))
    #expect(chain.audit(before, head: beforeHead, noted: head) == .broken(ChainFault(.setBack, at: 4)))
    // It went on differently after it was set back.
    var other = before
    var previous = before[2].value!
    for number in 4...6 {
      let content = Digest(of: [100 + UInt8(number)])
      previous = chain.value(Int64(number), content, after: previous)
      other.append(ChainLink(sequence: Int64(number), content: content, value: previous))
    }
    let otherHead = chain.head(6, previous)
    #expect(chain.audit(other, head: otherHead, noted: head) == .broken(ChainFault(.setBack, at: 5)))
  }
}
