import Biometrics

/// Why a list of numbers is not an embedding, or two embeddings can't be compared.
///
/// Says what, where and what was expected; never a component's value, so it is safe to log.
public struct EmbeddingError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Code: Equatable, Sendable {
    case wrongDimension(expected: Int, found: Int)
    /// The component at `position` is NaN.
    case notANumber(position: Int)
    /// The component at `position` is infinite.
    case infinite(position: Int)
    /// All components are zero: there is no direction.
    case zero
    /// A vector given as normalised has not the norm 1 within 1e-4.
    case notNormalised
    /// The embedding belongs to another space than the one it meets.
    case otherSpace(expected: EmbeddingSpace, found: EmbeddingSpace)
    /// A fusion of no embeddings.
    case nothingToFuse
  }

  public let code: Code

  public init(_ code: Code) {
    self.code = code
  }

  public var description: String {
    switch code {
    case .wrongDimension(let expected, let found):
      "an embedding of \(expected) components was expected, \(found) were found"
    case .notANumber(let position): "component \(position) is not a number"
    case .infinite(let position): "component \(position) is infinite"
    case .zero: "all components are zero, so the embedding has no direction"
    case .notNormalised: "a vector of norm 1 was expected"
    case .otherSpace(let expected, let found):
      "an embedding of the space \(expected) was expected, one of \(found) was found"
    case .nothingToFuse: "at least one embedding was expected"
    }
  }
}
