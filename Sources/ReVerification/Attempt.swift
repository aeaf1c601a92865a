import Biometrics
import EnrolmentStore
import FaceMatching
import Liveness

/// One submission: the capture and the probe, under the key that makes repeating it harmless.
public struct Attempt: Sendable {
  /// The length of an idempotency key in bytes of UTF-8.
  public static let keyBytes = 1...128
  /// How many embeddings a probe may be fused from.
  public static let embeddingCount = 1...64

  public let key: IdempotencyKey
  public let capture: Capture
  /// Of one face, that of the capture's frames, in their order; fused into one probe, so that an attempt is one draw at the FMR.
  public let embeddings: [UncheckedEmbedding]

  public init(key: IdempotencyKey, capture: Capture, embeddings: [UncheckedEmbedding]) {
    self.key = key
    self.capture = capture
    self.embeddings = embeddings
  }
}

/// An attempt with its digests, and its probe or why it has none.
struct PreparedAttempt: Sendable {
  let attempt: Attempt
  let captureDigest: Digest
  /// Digest of capture and embeddings, by which the same submission is known again.
  let content: Digest
  let probe: Result<Embedding, ReVerificationError>

  init(_ attempt: Attempt, space: EmbeddingSpace, liveness: any LivenessScorer) {
    self.attempt = attempt
    captureDigest = attempt.capture.digest
    content = attempt.digest(capture: captureDigest)
    probe = Result { () throws(ReVerificationError) in try attempt.probe(in: space, liveness: liveness) }
  }

  var validity: ReVerification.Submission.Validity {
    switch probe {
    case .success: .valid
    case .failure: .invalid
    }
  }
}

extension Attempt {
  /// The probe of a wholly valid attempt; throws for the first thing that is wrong with it.
  fileprivate func probe(
    in space: EmbeddingSpace, liveness: any LivenessScorer
  ) throws(ReVerificationError) -> Embedding {
    guard Self.keyBytes.contains(key.rawValue.utf8.count) else {
      throw ReVerificationError(.invalidKey, "idempotency key: expected \(Self.keyBytes) bytes")
    }
    do throws(CaptureError) {
      try capture.check()
      try liveness.check(capture)
    } catch {
      throw ReVerificationError(
        error.code == .unsupported ? .unsupportedCapture : .malformedCapture, error.description)
    }
    guard Self.embeddingCount.contains(embeddings.count) else {
      throw ReVerificationError(
        .invalidEmbedding, "expected \(Self.embeddingCount) embeddings, found \(embeddings.count)")
    }
    return try fused(embeddings, in: space)
  }

  fileprivate func digest(capture: Digest) -> Digest {
    var content = CanonicalBytes("reverify attempt 1")
    content.append(capture.bytes)
    content.append(UInt64(embeddings.count))
    for embedding in embeddings {
      content.append(embedding.space.description)
      content.append(UInt64(embedding.values.count))
      for value in embedding.values { content.append(value.bitPattern) }
    }
    return Digest(of: content.bytes)
  }
}

extension Capture {
  /// The digest of everything in it, frame by frame.
  var digest: Digest {
    var content = CanonicalBytes("reverify capture 1")
    content.append(UInt64(frames.count))
    for frame in frames {
      content.append(UInt64(bitPattern: frame.time.components.seconds))
      content.append(UInt64(bitPattern: frame.time.components.attoseconds))
      // All ones is the pattern of a NaN, which no valid frame holds.
      content.append(frame.passiveScore?.bitPattern ?? .max)
    }
    if let recording {
      content.append(FrameChain.digest(of: recording))
      content.append(recording.chain)
    }
    return Digest(of: content.bytes)
  }
}

extension Liveness.Capture {
  /// The digest by which decision records know an attempt with this recording.
  package var recordedDigest: Digest { Capture(self).digest }
}

/// The one embedding that `inputs` are fused to, in the order given.
///
/// Throws `wrongSpace` before anything is computed, and `invalidEmbedding` with the place of the first bad one.
func fused(
  _ inputs: [UncheckedEmbedding], in space: EmbeddingSpace
) throws(ReVerificationError) -> Embedding {
  if let stranger = inputs.firstIndex(where: { $0.space != space }) {
    throw wrongSpace(inputs[stranger], at: stranger, in: space)
  }
  var embeddings: [Embedding] = []
  for (index, input) in inputs.enumerated() { embeddings.append(try checked(input, at: index, in: space)) }
  do throws(EmbeddingError) {
    return try Embedding.fused(embeddings)
  } catch {
    throw ReVerificationError(.invalidEmbedding, "all \(inputs.count) embeddings together: \(error)")
  }
}

/// The embedding at `index` of what was handed in; throws `wrongSpace` or `invalidEmbedding` with its place.
func checked(
  _ input: UncheckedEmbedding, at index: Int, in space: EmbeddingSpace
) throws(ReVerificationError) -> Embedding {
  guard input.space == space else { throw wrongSpace(input, at: index, in: space) }
  do throws(EmbeddingError) {
    return try Embedding(input.values, space: space)
  } catch {
    throw ReVerificationError(.invalidEmbedding, "embedding \(index): \(error)")
  }
}

private func wrongSpace(
  _ input: UncheckedEmbedding, at index: Int, in space: EmbeddingSpace
) -> ReVerificationError {
  ReVerificationError(.wrongSpace, "embedding \(index): expected space \(space), found \(input.space)")
}
