/// The eigenvalues of a symmetric matrix, in no order, by cyclic Jacobi rotations.
///
/// Golub & Van Loan, *Matrix Computations*, section 8.5. Cubic in `size` per sweep; converges in about six.
func symmetricEigenvalues(_ matrix: [Double], size: Int) -> [Double] {
  var a = matrix
  for _ in 0..<30 {
    var (off, diagonal) = (0.0, 0.0)
    for i in 0..<size {
      diagonal += a[i * size + i] * a[i * size + i]
      for j in 0..<i { off += 2 * a[i * size + j] * a[i * size + j] }
    }
    if off <= 1e-24 * diagonal { break }
    for p in 0..<size {
      for q in p + 1..<size where a[p * size + q] != 0 {
        rotate(&a, size, p, q)
      }
    }
  }
  return (0..<size).map { a[$0 * size + $0] }
}

/// The rotation in the plane of p and q that makes a[p, q] zero.
private func rotate(_ a: inout [Double], _ size: Int, _ p: Int, _ q: Int) {
  let theta = (a[q * size + q] - a[p * size + p]) / (2 * a[p * size + q])
  let t = (theta < 0 ? -1 : 1) / (theta.magnitude + (theta * theta + 1).squareRoot())
  let c = 1 / (t * t + 1).squareRoot()
  let s = t * c
  a.withUnsafeMutableBufferPointer { a in
    for k in 0..<size {
      let (kp, kq) = (a[k * size + p], a[k * size + q])
      a[k * size + p] = c * kp - s * kq
      a[k * size + q] = s * kp + c * kq
    }
    for k in 0..<size {
      let (pk, qk) = (a[p * size + k], a[q * size + k])
      a[p * size + k] = c * pk - s * qk
      a[q * size + k] = s * pk + c * qk
    }
  }
}
