#!/usr/bin/env bash
# Makes the phone's library a package of its own: SwiftPM takes a package by version only from the root of a repository,
# and an app that takes FanfareKit is to resolve no other package and to get no compiler flag of ours.
#
#   Deploy/kit-release.sh FOLDER             the kit, its tests and pages in FOLDER, which must be empty or not there
#   Deploy/kit-release.sh FOLDER VERSION     the same as a Git repository with one commit and the tag VERSION
#
# The tree is what Git tracks, as it stands in the work tree that this script is in; push it to the kit's own repository.
set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
. Deploy/lib/install.sh

[ $# = 1 ] || [ $# = 2 ] || { echo "usage: kit-release.sh FOLDER [VERSION]" >&2; exit 64; }
folder=$1 version=${2-}
[ -z "$version" ] || [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "a version is three numbers, as 1.4.0: $version" 64
[ -z "$(ls -A "$folder" 2>/dev/null)" ] || fail "$folder is not empty" 64

mkdir -p "$folder"
git rev-parse --git-dir >/dev/null 2>&1 || fail "$PWD is no Git checkout: what belongs to the kit is what Git tracks" 64
# Links become files: what they name stays behind. What somebody has lying about does too.
git ls-files -z -- Sources/FanfareKit Tests/FanfareKitTests Tests/Seeds .swift-format |
    xargs -0 cp -L --parents --target-directory "$folder"
printf '.build/\nPackage.resolved\n' >"$folder/.gitignore"

cat >"$folder/Package.swift" <<'MANIFEST'
// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
]

let package = Package(
    name: "FanfareKit",
    platforms: [.iOS(.v15), .macOS(.v12), .tvOS(.v15), .watchOS(.v8)],
    products: [.library(name: "FanfareKit", targets: ["FanfareKit"])],
    targets: [
        .target(name: "FanfareKit", resources: [.copy("PrivacyInfo.xcprivacy")], swiftSettings: settings),
        .target(name: "Seeds", path: "Tests/Seeds", swiftSettings: settings),
        .testTarget(
            name: "FanfareKitTests",
            dependencies: ["FanfareKit", "Seeds"],
            exclude: ["AppleStubs"],
            swiftSettings: settings
        ),
    ]
)
MANIFEST

cat >"$folder/README.md" <<'README'
# FanfareKit

The phone's library of Fanfare: registration, pushes, tracking, rich content, and messages inside the app. It needs
Foundation and no other package.

```swift
.package(url: "…/FanfareKit", from: "1.0.0")
```

`Sources/FanfareKit/FanfareKit.docc` has the ten-minute guide and the pages for those who come from another system.
This repository is made from Fanfare's by `Deploy/kit-release.sh`; changes are made there.
README

if [ -n "$version" ]; then
    git -C "$folder" init --quiet --initial-branch main
    git -C "$folder" add --all
    git -C "$folder" -c user.name=Fanfare -c user.email=fanfare@localhost -c commit.gpgsign=false \
        commit --quiet --message "FanfareKit $version"
    git -C "$folder" tag "$version"
fi
printf 'kit-release.sh: FanfareKit%s in %s\n' "${version:+ $version}" "$folder"
