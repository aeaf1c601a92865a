import EvaluationCommands
import Foundation
import Liveness

/// The recorded capture in a file, in the format of `Documentation/Formats/Capture.md`.
func readRecording(_ path: String) throws -> Capture {
  guard let data = FileManager.default.contents(atPath: path) else {
    throw InputError("\(path): can't be read")
  }
  do {
    return try CaptureDecoder.decode(Array(data))
  } catch {
    throw InputError("\(path): \(error)")
  }
}
