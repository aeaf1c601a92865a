/// The engine's version, which every decision record, operating point and report names.
public enum EngineVersion {
  public static let current = "0.1.0"
}
