import EvaluationCommands

/// The `reverify` command.
@main
struct Main {
  static func main() async {
    await CommandTool(
      "reverify", purpose: "is the person in front of the camera the one that was verified before?",
      commands: commands
    ).main()
  }

  private static let commands: [any Command.Type] = [
    CompareCommand.self, SearchCommand.self, SimulateCommand.self, EvalCommand.self, TuneCommand.self,
    WhatIfCommand.self, HealthCommand.self, TuneLivenessCommand.self,
    ScoreLivenessCommand.self, SimulateCapturesCommand.self, EvaluatePADCommand.self,
    VerifyErasedCommand.self,
    InfoCommand.self, InitCommand.self, OrganisationCommand.self, WorkflowCommand.self,
    UserCommand.self, KeyCommand.self, ImportCommand.self, EnrolCommand.self, BeginCommand.self,
    ChallengeCommand.self,
    SubmitCommand.self,
    EraseCommand.self, ReplayCommand.self, AuditCommand.self, CheckpointCommand.self, DoctorCommand.self,
    FlowDemoCommand.self,
  ]
}
