import EvaluationCommands

/// The commands of `reverify` that choose and judge thresholds, alone: built without the engine, its store and liveness.
@main
struct Main {
  static func main() async {
    await CommandTool(
      "reverify-eval", purpose: "thresholds with evidence; the same commands as in reverify",
      commands: [EvalCommand.self, TuneCommand.self, HealthCommand.self]
    ).main()
  }
}
