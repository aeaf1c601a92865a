import CSodium
import Glibc

/// The SHA-256 digest of a file, in hexadecimal digits, read in pieces. Throws when it can't be read.
package func sha256(ofFile path: String) throws -> String {
  guard let file = fopen(path, "rb") else { throw InputError("\(path): can't be read") }
  defer { fclose(file) }
  guard sodium_init() >= 0 else {
    throw InputError("libsodium can't be used: it found no source of randomness")
  }
  var state = crypto_hash_sha256_state()
  crypto_hash_sha256_init(&state)
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { break }
    crypto_hash_sha256_update(&state, buffer, UInt64(count))
  }
  guard ferror(file) == 0 else { throw InputError("\(path): can't be read to its end") }
  var digest = [UInt8](repeating: 0, count: 32)
  crypto_hash_sha256_final(&state, &digest)
  return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
