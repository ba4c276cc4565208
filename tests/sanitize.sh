#!/usr/bin/env bash
# The suite with bounds checks, then under AddressSanitizer and UBSan, each on a copy built for it (make sanitize).
# The two readers in C get the large counts of their attacks under the sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-$PWD/.venv/bin/python}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

suite() { # [NAME=value…] -- arguments of pytest
    local settings=()
    while [[ $1 != -- ]]; do settings+=("$1") && shift; done
    (cd "$copy" && env PYTHONPATH="$copy/src" "${settings[@]}" "$python" -m pytest -q -n 2 -p no:cacheprovider "${@:2}")
}

# What touches compiled code. How the package is built, what memory it takes, what a browser or scikit-learn's contract says
# of it, is not seen better under a sanitizer.
everything=(tests/engine tests/data tests/features tests/learning tests/theory tests/golden tests/attack
    --ignore=tests/engine/test_build.py --ignore=tests/data/test_stream_memory.py --ignore=tests/learning/test_stream_growth.py)

build() { # pip builds with the setuptools that pyproject.toml asks for, which the environment need not have
    rm -rf "${copy:?}"/* && cp -r setup.py pyproject.toml README.md LICENSE docs src tests "$copy" && rm -f "$copy"/src/rosenblatt/*/*.so
    (cd "$copy" && env "$@" "$python" -m pip wheel --no-deps --wheel-dir wheel . >build.log 2>&1) || { cat "$copy/build.log"; exit 1; }
    (cd "$copy/src" && "$python" -m zipfile -e ../wheel/*.whl ../unpacked && cd ../unpacked && find . -name '*.so' -exec cp {} ../src/{} \;)
    test "$(find "$copy/src" -name '*.so' | wc -l)" = 8 || { cat "$copy/build.log"; echo "not all eight extensions were built"; exit 1; }
}

echo "== bounds checks"
build ROSENBLATT_BUILD=bounds
suite -- "${everything[@]}"

echo "== AddressSanitizer and UBSan"
build ROSENBLATT_BUILD=release CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g"
# Python's own allocator would hide where an array ends: with malloc, the byte behind each is forbidden.
sanitizers=(LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc)
suite "${sanitizers[@]}" ROSENBLATT_TESTS=full -- tests/attack/test_c_readers.py
suite "${sanitizers[@]}" -- "${everything[@]}"
