extension Result {
  /// What `work` returns or throws.
  nonisolated(nonsending) init(_ work: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await work())
    } catch {
      self = .failure(error)
    }
  }
}
