// swift-tools-version: 6.2
import PackageDescription

// REVERIFY_WERROR=1 turns warnings into errors: continuous integration sets it, dependents never meet it.
let warningsAsErrors = Context.environment["REVERIFY_WERROR"] == "1"

let swift: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (warningsAsErrors ? [.treatAllWarnings(as: .error)] : [])

// Every kernel states its own instruction set by a function attribute, so no unsafe flags are needed.
let kernels: [CSetting] = [.define("NDEBUG", .when(configuration: .release))]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swift)
}

func tests(_ target: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = [])
  -> Target
{
  .testTarget(
    name: "\(target)Tests", dependencies: [.init(stringLiteral: target), "TestSupport"] + dependencies,
    swiftSettings: swift + settings)
}

// Swift 6.3.1's optimiser crashes on asynchronous tests of the engine ("while splitting coroutine"). Products have no such
// flag, so others can depend on them.
let unoptimised: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let package = Package(
  name: "ReVerify",
  products: [
    .library(name: "ReVerify", targets: ["ReVerify"]),
    .library(name: "ReVerifyClient", targets: ["ReVerifyClient"]),
    .library(name: "Liveness", targets: ["Liveness", "LivenessTraining"]),
    .executable(name: "reverify", targets: ["reverify"]),
    .executable(name: "reverify-eval", targets: ["reverify-eval"]),
  ],
  targets: [
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .target(name: "CFaceKernels", cSettings: kernels),
    .target(name: "CCheckedFiles", dependencies: ["CSQLite", "CSodium"]),
    library("Biometrics"),
    library("FaceMatching", ["Biometrics", "CFaceKernels", "CSodium", "CXXHash"]),
    library("EnrolmentStore", ["Biometrics", "CCheckedFiles", "CSQLite", "CSodium"]),
    library("ReVerification", ["Biometrics", "FaceMatching", "EnrolmentStore", "Liveness", "CSodium"]),
    library("ReVerifyClient", ["Biometrics", "EnrolmentStore", "Liveness", "ReVerification"]),
    library("Evaluation", ["Biometrics", "FaceMatching", "CFaceKernels"]),
    library("Liveness", ["Biometrics", "CSodium"]),
    library("LivenessTraining", ["Biometrics", "Liveness", "Evaluation", "CSodium"]),
    library("EmbeddingFiles", ["CZlib"]),
    library(
      "EvaluationCommands", ["Biometrics", "FaceMatching", "Evaluation", "EmbeddingFiles", "CSodium"]),
    .executableTarget(
      name: "reverify-eval", dependencies: ["EvaluationCommands"], swiftSettings: swift),
    library(
      "Simulation",
      [
        "Biometrics", "FaceMatching", "ReVerification", "EnrolmentStore", "Evaluation", "Liveness",
        "LivenessTraining",
      ]),
    library(
      "ReVerify",
      ["Biometrics", "FaceMatching", "Liveness", "EnrolmentStore", "ReVerification", "Evaluation"]),
    .executableTarget(
      name: "reverify",
      dependencies: [
        "ReVerify", "ReVerifyClient", "EmbeddingFiles", "EnrolmentStore", "EvaluationCommands", "Simulation",
        "Liveness", "LivenessTraining", "CSodium",
      ],
      swiftSettings: swift),
    .target(
      name: "TestSupport",
      dependencies: [
        "Biometrics", "FaceMatching", "Evaluation", "EnrolmentStore", "ReVerification", "CZlib",
      ],
      path: "Tests/TestSupport", swiftSettings: swift),
    tests("Evaluation", ["Biometrics"]),
    tests("CFaceKernels", ["Biometrics"]),
    tests("FaceMatching", ["EmbeddingFiles"]),
    tests(
      "reverify",
      [
        "ReVerify", "Biometrics", "EnrolmentStore", "EmbeddingFiles", "Evaluation", "FaceMatching",
        "EvaluationCommands", "Liveness", "LivenessTraining", "ReVerification", "reverify-eval", "Simulation",
      ]),
    .target(name: "CFaultyFiles", dependencies: ["CSQLite"], path: "Tests/CFaultyFiles"),
    tests("EnrolmentStore", ["Biometrics", "CFaultyFiles", "FaceMatching"]),
    .executableTarget(
      name: "BusyEngine", dependencies: ["Biometrics", "EnrolmentStore", "FaceMatching", "ReVerification"],
      path: "Tests/BusyEngine", swiftSettings: swift),
    tests(
      "ReVerification",
      [
        "Biometrics", "BusyEngine", "EmbeddingFiles", "EnrolmentStore", "FaceMatching", "Liveness",
        "LivenessTraining",
      ], settings: unoptimised),
    tests("ReVerifyClient", ["Biometrics", "EnrolmentStore", "FaceMatching", "ReVerification"]),
    tests("EmbeddingFiles", ["Biometrics"]),
    tests("Liveness", ["LivenessTraining"]),
  ],
  swiftLanguageModes: [.v6]
)
