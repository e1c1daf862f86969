#!/bin/bash
# Documentation/build.sh - the DocC pages of the library products, as one archive that any web server can show.
#
# Nothing is installed: swift-symbolgraph-extract and docc come with the toolchain, the catalogs lie beside the sources. Warnings are errors, so that a page that
# names something that is gone fails. SWIFT_BUILD_FLAGS is handed to the build; MODULES to build fewer.
set -eu
cd "$(dirname "$0")/.."
SWIFT=${SWIFT:-swift}
MODULES=${MODULES:-Bluetooth Firmware SMP NordicDFU Flashing}
OUT=.build/docs
TOOLS=$(dirname "$(readlink -f "$(command -v "$SWIFT")")")
[ -x "$TOOLS/docc" ] || { echo "docs: $TOOLS has no docc: use a toolchain of swift.org" >&2; exit 1; }

# The last one stands on all others.
# shellcheck disable=SC2086
$SWIFT build --target Flashing ${SWIFT_BUILD_FLAGS:-}
# shellcheck disable=SC2086
products=$($SWIFT build --show-bin-path ${SWIFT_BUILD_FLAGS:-})
triple=$($SWIFT -print-target-info | sed -n 's/.*"triple": "\(.*\)",.*/\1/p' | head -n 1)
gates=()
for map in Sources/C*/module.modulemap; do gates+=(-Xcc "-fmodule-map-file=$PWD/$map"); done

rm -rf "$OUT"
mkdir -p "$OUT"
archives=()
for module in $MODULES; do
  mkdir -p "$OUT/symbols/$module"
  "$TOOLS/swift-symbolgraph-extract" -module-name "$module" -target "$triple" -I "$products/Modules" "${gates[@]}" \
    -minimum-access-level public -skip-synthesized-members -skip-inherited-docs -output-dir "$OUT/symbols/$module"
  "$TOOLS/docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$OUT/symbols/$module" --output-path "$OUT/$module.doccarchive" \
    --fallback-display-name "$module" --fallback-bundle-identifier "flashline.$module" >"$OUT/$module.log" 2>&1 || { cat "$OUT/$module.log" >&2; exit 1; }
  # What a parameter means where its name says it is not written down here; everything else that docc finds is an error.
  if grep -E '^(warning|error): ' "$OUT/$module.log" | grep -qv "^warning: Parameter '.*' is missing documentation$"; then
    cat "$OUT/$module.log" >&2
    echo "docs: the pages of $module are not right: see the warnings above" >&2
    exit 1
  fi
  archives+=("$OUT/$module.doccarchive")
done
"$TOOLS/docc" merge "${archives[@]}" --output-path "$OUT/flashline.doccarchive" --synthesized-landing-page-name Flashline
echo "docs: $(find "$OUT/flashline.doccarchive/data" -name '*.json' | wc -l) pages in $OUT/flashline.doccarchive: python3 -m http.server --directory $OUT/flashline.doccarchive, then /documentation"
