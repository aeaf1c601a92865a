// The umbrella: one import for a backend that links the engine.
@_exported import Biometrics
@_exported import EnrolmentStore
@_exported import Evaluation
@_exported import FaceMatching
@_exported import Liveness
@_exported import ReVerification
