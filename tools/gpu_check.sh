#!/usr/bin/env bash
# Everything on a machine with a GPU, from a wheel: gpu_check.sh FOLDER, which holds the wheel, programs/, and perhaps NumPy's wheel
# and bin/gpu_test. Results go to $OUT.
set -u
carry=$(cd "$1" && pwd)
OUT=${OUT:-/tmp}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
python3 -m pip install -q --no-index --no-deps --target /tmp/site "$carry"/quern-*.whl || exit 1
export PYTHONPATH=/tmp/site QUERN_PROGRAMS=$carry/programs QUERN_CACHE_DIR=/tmp/quern-cache PYTHONUNBUFFERED=1
echo "== an empty environment on the CPU, no toolkit in sight"
if ls "$carry"/numpy-*.whl >/dev/null 2>&1; then
  python3 -m venv /tmp/empty 2>/dev/null || python3 -m venv --without-pip /tmp/empty
  site=$(/tmp/empty/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
  python3 -m pip install -q --no-index --no-deps --target "$site" "$carry"/*.whl
  (cd /tmp && env -i HOME=/tmp PATH=/usr/bin:/bin QUERN_DEVICE=cpu QUERN_CACHE_DIR=/tmp/empty-cache /tmp/empty/bin/python -m quern run "$carry/programs/pycuda_add.py") || echo "FAILED: empty environment"
fi
echo "== doctor"
python3 -m quern doctor > "$OUT/doctor.txt" 2>&1; tail -8 "$OUT/doctor.txt"
echo "== gpu_test"
[ -x "$carry/bin/gpu_test" ] && LD_LIBRARY_PATH=/tmp/site/quern/lib "$carry/bin/gpu_test" > "$OUT/gpu_test.txt" 2>&1; tail -4 "$OUT/gpu_test.txt"
echo "== pytest"
timeout 420 python3 -m pytest -q -p no:cacheprovider > "$OUT/pytest.txt" 2>&1; tail -30 "$OUT/pytest.txt"
echo "== bench"
timeout 120 python3 bench/spine.py --device cuda --out "$OUT/spine-cuda.json" 2>&1 | tail -24
timeout 100 python3 bench/spine.py --device cpu --out "$OUT/spine-cpu.json" 2>&1 | tail -20
