# The kit as an app takes it: by version, from a repository of its own. Sourced by check.sh.
# shellcheck shell=bash disable=SC2154 # is_full is check.sh's

# An app that takes the kit by version resolves one package and builds; no flag of ours is in the kit's manifest.
an_app_takes_the_kit() (
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    Deploy/kit-release.sh "$folder/FanfareKit" 1.0.0
    ! grep -E 'unsafeFlags|treatAllWarnings' "$folder/FanfareKit/Package.swift" || exit 1
    # What Git tracks of the kit and nothing else, links as the files that they name.
    git ls-files -- Sources/FanfareKit Tests/FanfareKitTests Tests/Seeds | sort >"$folder/tracked"
    (cd "$folder/FanfareKit" && find Sources Tests -type f | sort) | diff "$folder/tracked" - || exit 1
    mkdir -p "$folder/app/Sources/app"
    cat >"$folder/app/Package.swift" <<MANIFEST
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "app",
    dependencies: [.package(url: "file://$folder/FanfareKit", from: "1.0.0")],
    targets: [.executableTarget(name: "app", dependencies: [.product(name: "FanfareKit", package: "FanfareKit")])]
)
MANIFEST
    cat >"$folder/app/Sources/app/main.swift" <<'APP'
import FanfareKit

print(RegistrationResult.self)
APP
    swift package --package-path "$folder/app" show-dependencies --format flatlist >"$folder/packages"
    [ "$(cat "$folder/packages")" = fanfarekit ] || { echo "these packages are resolved:"; cat "$folder/packages"; exit 1; }
    swift build --package-path "$folder/app"
    [ "$("$folder/app/.build/debug/app")" = RegistrationResult ]
)

# The kit's own tests are part of what is released, and pass there.
the_kit_tests_itself() (
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    Deploy/kit-release.sh "$folder/FanfareKit"
    swift test --package-path "$folder/FanfareKit"
)

check "kit: an app takes it by version, and resolves no other package" an_app_takes_the_kit
[ "$is_full" = no ] || check "kit: the released tree passes its own tests" the_kit_tests_itself
