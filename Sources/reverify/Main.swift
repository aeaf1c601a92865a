import Biometrics
import FaceMatching
import Glibc

/// The `reverify` command: parse, call, print.
@main
struct Main {
  static func main() async {
    let status = await run(Array(CommandLine.arguments.dropFirst()))
    Output.standard.flush()
    if !Output.standard.isComplete {
      complain("the output could not be written to its end")
      exit(ExitStatus.output)
    }
    exit(status)
  }

  /// Runs a command line and returns its exit status: 0, or that of `ExitStatus`.
  static func run(_ words: [String]) async -> Int32 {
    var words = words
    guard let name = words.first, name != "--help", name != "-h", name != "help" else {
      // `reverify help search` is `reverify search --help`.
      if words.count > 1, let command = commands.first(where: { $0.name == words[1] }) {
        Output.standard.write(help(of: command))
      } else {
        Output.standard.write(overview)
      }
      return words.isEmpty ? ExitStatus.usage : ExitStatus.success
    }
    words.removeFirst()
    if name == "--version" {
      Output.standard.write("\(EngineVersion.current)\n")
      return ExitStatus.success
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      complain("there is no command '\(name)'; 'reverify --help' lists them")
      return ExitStatus.usage
    }
    if words.contains("--help") || words.contains("-h") {
      Output.standard.write(help(of: command))
      return ExitStatus.success
    }
    return await run(command, words)
  }

  private static func run(_ command: any Command.Type, _ words: [String]) async -> Int32 {
    if case .failure(let error) = Kernels.fromEnvironment {
      complain("\(Kernels.environmentVariable): \(error)")
      return ExitStatus.usage
    }
    do {
      let status = try await command.run(Arguments(words, allowed: command.options))
      Output.standard.flush()
      return status
    } catch let error as UsageError {
      Output.standard.flush()
      complain("\(error); see 'reverify \(command.name) --help'")
      return ExitStatus.usage
    } catch {
      Output.standard.flush()
      complain("\(error)")
      return ExitStatus.data
    }
  }
}
