/// The order of subjects by their names: as numbers where all are, else as text.
package enum SubjectOrder {
  /// A number from 0 for each of the different names. Names of one number, such as "7" and "07", follow each other as text.
  package static func numbers(of names: [String]) -> [String: Int] {
    let names = Set(names)
    let values = names.reduce(into: [String: Int]()) { $0[$1] = Int($1) }
    let ordered =
      values.count == names.count
      ? names.sorted { (values[$0]!, $0) < (values[$1]!, $1) } : names.sorted()
    return Dictionary(uniqueKeysWithValues: zip(ordered, 0...))
  }
}
