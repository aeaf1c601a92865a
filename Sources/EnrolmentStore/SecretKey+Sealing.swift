/// Authenticated encryption of files kept beside a store, such as a snapshot of its gallery.
extension SecretKey {
  /// `content` encrypted, to be opened under the same key and name alone; 45 bytes longer. XChaCha20-Poly1305 under a random
  /// nonce, in the form of `Documentation/Formats/Store.md`.
  public func seal(_ content: [UInt8], as name: String) -> [UInt8] {
    Sealing.seal(content, under: self, generation: 0, as: SealedIdentity("file", name))
  }

  /// What `seal` encrypted; throws `damaged` for anything else.
  public func open(_ sealed: [UInt8], as name: String) throws(StoreError) -> [UInt8] {
    try Sealing.open(sealed, under: self, as: SealedIdentity("file", name))
  }
}

extension SQLiteStore {
  /// The store's key for files of one purpose, the same at each opening and after every rotation.
  public func fileKey(for purpose: String) throws(StoreError) -> SecretKey {
    try keyring.lasting("file \(purpose)", of: nil)
  }
}
