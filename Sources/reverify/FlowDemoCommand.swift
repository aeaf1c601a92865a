import Biometrics
import EnrolmentStore
import EvaluationCommands
import FaceMatching
import ReVerification
import ReVerifyClient

enum FlowDemoCommand: Command {
  static let name = "flow-demo"
  static let summary = "the client's flow in a terminal: every state and what its screen says"
  static let explanation = """
    Plays the headless flow over an engine in this process, with made-up faces and a connection that fails where the script
    says, and draws each state's screen as the client would. Four scenes: verified at the second attempt after a lost answer;
    somebody else; a user who can't be re-verified; closed by the user.

      reverify flow-demo
    """
  static let options: [CommandOption] = []

  static func run(_ arguments: Arguments) async throws -> Int32 {
    for scene in DemoScene.all {
      Output.standard.write("\n=== \(scene.title)\n")
      let result = try await scene.play { Output.standard.write(draw($0)) }
      switch result {
      case .success(let outcome): Output.standard.write("onResult: success, \(AnswerText.text(outcome))\n")
      case .failure(let error): Output.standard.write("onResult: failure, \(error.kind.rawValue)\n")
      }
    }
    return ExitStatus.success
  }

  /// The state's screen in a frame.
  private static func draw(_ step: DemoScene.Step) -> String {
    guard case .state(let state) = step else {
      guard case .action(let text) = step else { return "" }
      return "      -> \(text)\n"
    }
    let screen = state.screen()
    let buttons = screen.buttons.map { "[\($0.label)]" }.joined(separator: " ")
    let lines = [screen.title, screen.banner.map { "! \($0)" }, screen.text, buttons].compactMap { $0 }
    let width = 64
    let rule = "  +" + String(repeating: "-", count: width + 2) + "+\n"
    let body = lines.map { "  | \($0.padded(to: width)) |\n" }.joined()
    return "  state: \(state)\n" + rule + body + rule
  }
}
