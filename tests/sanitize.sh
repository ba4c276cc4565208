#!/usr/bin/env bash
# The suite with bounds checks, then under AddressSanitizer and UBSan, each on a copy built for it (make sanitize).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

suite() { # runs what touches the core; the estimators' contract does not need a second look, and no browser runs under a sanitizer
    (cd "$copy" && env PYTHONPATH="$copy/src" "$@" "$python" -m pytest -q -p no:cacheprovider tests --ignore=tests/estimators/test_estimators.py --ignore=tests/playground \
        --deselect tests/engine/test_build.py)
}

build() {
    rm -rf "${copy:?}"/* && cp -r setup.py pyproject.toml README.md LICENSE docs src tests "$copy" && rm -f "$copy"/src/rosenblatt/*/*.so
    (cd "$copy" && env "$@" "$python" setup.py --quiet build_ext --inplace >build.log 2>&1) || { cat "$copy/build.log"; exit 1; }
}

echo "== bounds checks"
build ROSENBLATT_BUILD=bounds
suite

echo "== AddressSanitizer and UBSan"
build CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"
suite LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0
