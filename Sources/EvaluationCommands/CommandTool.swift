import Biometrics
import FaceMatching
import Glibc

/// A program of several commands: parse, call, print.
package struct CommandTool: Sendable {
  package let name: String
  package let purpose: String
  package let commands: [any Command.Type]

  package init(_ name: String, purpose: String, commands: [any Command.Type]) {
    self.name = name
    self.purpose = purpose
    self.commands = commands
  }

  /// Runs the process's own command line, and ends it.
  package func main() async -> Never {
    let status = await run(Array(CommandLine.arguments.dropFirst()))
    Output.standard.flush()
    if !Output.standard.isComplete {
      complain("the output could not be written to its end")
      exit(ExitStatus.output)
    }
    exit(status)
  }

  /// Runs a command line and returns its exit status: 0, or that of `ExitStatus`.
  private func run(_ words: [String]) async -> Int32 {
    var words = words
    guard let first = words.first, first != "--help", first != "-h", first != "help" else {
      // `reverify help search` is `reverify search --help`.
      if words.count > 1, let command = commands.first(where: { $0.name == words[1] }) {
        Output.standard.write(help(of: command))
      } else {
        Output.standard.write(overview)
      }
      return words.isEmpty ? ExitStatus.usage : ExitStatus.success
    }
    words.removeFirst()
    if first == "--version" {
      Output.standard.write("\(EngineVersion.current)\n")
      return ExitStatus.success
    }
    guard let command = commands.first(where: { $0.name == first }) else {
      complain("there is no command '\(first)'; '\(name) --help' lists them")
      return ExitStatus.usage
    }
    if words.contains("--help") || words.contains("-h") {
      Output.standard.write(help(of: command))
      return ExitStatus.success
    }
    return await run(command, words)
  }

  private func run(_ command: any Command.Type, _ words: [String]) async -> Int32 {
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
      complain("\(error); see '\(name) \(command.name) --help'")
      return ExitStatus.usage
    } catch let error as OutputError {
      Output.standard.flush()
      complain("\(error)")
      return ExitStatus.output
    } catch {
      Output.standard.flush()
      complain("\(error)")
      return ExitStatus.data
    }
  }

  private var overview: String {
    """
    \(name): \(purpose)

    usage: \(name) COMMAND [options]

    \(commands.map { "  \($0.name.padded(to: 19))\($0.summary)" }.joined(separator: "\n"))

    Input everywhere: --data FOLDER with embeddings.npy and index.csv (or embeddings.npz, .fvecs, .fbin, .csv),
    or single files: --embeddings FILE, --index FILE. Progress goes to stderr when that is a terminal.
    \(KernelVariable.help)

    '\(name) COMMAND --help' explains a command. Exit status: 0 done, 1 done in part, 64 wrong usage, 65 wrong input,
    74 an output can't be written.

    """
  }

  private func help(of command: any Command.Type) -> String {
    let width = 2 + (command.options.map { $0.heading.count }.max() ?? 0)
    let options = command.options.map { option in
      let lines = option.help.split(separator: "\n", omittingEmptySubsequences: false)
      return "  \(option.heading.padded(to: width))"
        + lines.joined(separator: "\n  " + String(repeating: " ", count: width))
    }
    return """
      \(name) \(command.name): \(command.summary)

      \(command.explanation)

      options:
      \(options.joined(separator: "\n"))

      """
  }
}
