// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what benchmarks need never reaches users of the engine.
let package = Package(
  name: "ReVerifyBenchmarks",
  dependencies: [.package(name: "ReVerify", path: "..")],
  targets: [
    .target(name: "BenchmarkOptions"),
    .executableTarget(
      name: "SearchBenchmark", dependencies: ["BenchmarkOptions", .product(name: "ReVerify", package: "ReVerify")]),
    .executableTarget(
      name: "AllPairsBenchmark", dependencies: [.product(name: "ReVerify", package: "ReVerify")]),
    .executableTarget(
      name: "LivenessBenchmark", dependencies: ["BenchmarkOptions", .product(name: "Liveness", package: "ReVerify")]),
    .executableTarget(
      name: "SubmitBenchmark", dependencies: ["BenchmarkOptions", .product(name: "ReVerify", package: "ReVerify")]),
  ],
  swiftLanguageModes: [.v6]
)
