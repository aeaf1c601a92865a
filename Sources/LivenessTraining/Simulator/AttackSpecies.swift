import Liveness

/// What a simulated capture shows: a live person, or an attack instrument of a species.
public enum AttackSpecies: String, Hashable, Sendable, CaseIterable, Codable {
  case bonaFide = "bona_fide"
  // Sheets held before the camera and brought closer.
  case flatPhoto = "flat_photo"
  /// Turned to and fro while it approaches.
  case tiltedPhoto = "tilted_photo"
  case bentPhoto = "bent_photo"
  /// Bent more and more while it approaches.
  case flexedPhoto = "flexed_photo"
  /// A bent photograph with holes for living eyes.
  case cutOutPhoto = "cut_out_photo"
  /// A video of a living face on a flat screen.
  case movedScreen = "moved_screen"
  // Numbers made up or changed on the way.
  /// One photograph scaled and shifted to the ovals.
  case digitalZoom = "digital_zoom"
  /// Each picture several times in a row.
  case frozen
  /// Each picture several times, with fresh noise on the numbers.
  case frozenNoisy = "frozen_noisy"
  /// A fifth to two fifths of the frames are the one before.
  case duplicated
  /// Six frames that follow the challenge are each put in another's place.
  case reordered
  /// The times run slow, or have a gap.
  case staleTimes = "stale_times"
  /// A few frames, the rest interpolated.
  case interpolated
  case interpolatedNoisy = "interpolated_noisy"
  // Earlier captures of the victim under a new challenge.
  /// Its numbers, injected.
  case replayInjected = "replay_injected"
  /// Its video on a screen that is held still.
  case replayOnScreen = "replay_on_screen"
  /// Its video scaled and shifted to the new ovals.
  case replayTracking = "replay_tracking"
  /// One person begins, another one ends.
  case personChange = "person_change"
  // What these cues can't stop.
  /// A rendered head or a face swap that follows the challenge and the colours.
  case followingRender = "following_render"
  /// The same without answering the colours.
  case colourlessRender = "colourless_render"
  /// A rigid mask of the right relief on a living head.
  case rigidMask = "rigid_mask"

  public static let attacks = allCases.filter { $0 != .bonaFide }

  /// Those that are known to pass whatever the model: they are measured, never trained against.
  public static let unstoppable: Set<AttackSpecies> = [.followingRender, .colourlessRender, .rigidMask]

  /// Whether these cues ought to stop it: colours stop the render that does not answer them.
  public func isStoppable(withColours: Bool) -> Bool {
    !Self.unstoppable.contains(self) || withColours && self == .colourlessRender
  }

  /// The cues that ought to tell this species, on which they are trained.
  public var cues: Set<Cue> {
    switch self {
    case .bonaFide, .followingRender, .rigidMask, .frozen, .duplicated, .staleTimes: []
    case .flatPhoto, .tiltedPhoto, .bentPhoto, .flexedPhoto, .cutOutPhoto, .movedScreen: [.geometry]
    case .digitalZoom: [.geometry, .colour]
    case .frozenNoisy, .interpolated, .interpolatedNoisy: [.texture]
    case .reordered: []
    case .replayInjected, .replayOnScreen: [.challenge, .colour]
    case .replayTracking: [.colour]
    case .colourlessRender: [.colour]
    case .personChange: [.identity]
    }
  }

  /// Whether the camera sees an object rather than the client's numbers being made up.
  var isPresented: Bool {
    switch self {
    case .flatPhoto, .tiltedPhoto, .bentPhoto, .flexedPhoto, .cutOutPhoto, .movedScreen, .replayOnScreen,
      .rigidMask:
      true
    default: false
    }
  }
}
