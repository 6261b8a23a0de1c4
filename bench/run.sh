#!/bin/sh
# Runs every benchmark, writes bench/results and puts the tables into docs/reference/benchmarks-evidence.md.
# usage: bench/run.sh DIRECTORY-OF-PROGRAMS [--quick]     --quick: a few minutes, results in out/bench, docs untouched
set -eu
programs=$1
quick=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
out=$here/results
if [ -n "$quick" ]; then out=$here/../out/bench; fi
mkdir -p "$out"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
for program in broad deform-contact deform-solve peers tiny piles fibres elements convergence packed accuracy table2 assembly inverse fit framings world; do
  echo "== $program"
  "$programs/bench-$program" --out "$out" $quick
done
"$programs/bench-table-one" --out "$out" --scenes "$here/../scenes" $quick
echo "== deform-cylinder"
"$programs/bench-deform-cylinder" --out "$out" --scenes "$here/../scenes" $quick
echo "== deform-solids"
armadillo="$here/../../shared/data/mesh/ipc_Armadillo13K.msh"
"$programs/bench-deform-solids" --out "$out" --scenes "$here/../scenes" $([ -r "$armadillo" ] && echo "--armadillo $armadillo") $quick
if command -v ccx > /dev/null; then
  echo "== deform-hertz"
  work=$(mktemp -d)
  "$programs/bench-deform-hertz" --out "$out" --scenes "$here/../scenes" --work "$work" $quick
  rm -r "$work"
fi
if [ -x "$programs/bench-deform-ramp" ]; then
  echo "== deform-ramp"
  "$programs/bench-deform-ramp" --out "$out" --scenes "$here/../scenes" $quick
  echo "== deform-blocks"
  "$programs/bench-deform-blocks" --out "$out" --scenes "$here/../scenes" $quick
fi
if [ -x "$programs/../capstan" ]; then
  echo "== deform-dress"
  saved=$(mktemp -d)
  for dress in short:'5 mm' middle:'3 mm' whole:'2 mm'; do
    file=dress-${dress%:*}.obj
    if [ "${dress%:*}" = whole ]; then file=dress.obj; fi
    "$programs/../capstan" run "$here/../scenes/dress.yaml" --set sheets.dress.file="parts/$file" --set thick="${dress#*:}" \
      --until 0.06 --save-problem "60:$saved" -o "$saved/${dress%:*}.h5" -q
  done
  "$programs/bench-deform-dress" --out "$out" "$saved/short"-*.hdf5 "$saved/middle"-*.hdf5 "$saved/whole"-*.hdf5
  rm -r "$saved"
fi
echo "== grains"
"$programs/bench-grains" --out "$out" $quick
if [ -z "$quick" ]; then
  echo "== grains-balls"
  work=$(mktemp -d)
  "$programs/bench-grains-balls" --out "$work" --balls 1000
  if command -v yade > /dev/null; then yade -n -x -j1 "$here/grains/yade.py" "$work/balls.txt"; fi
  rm -r "$work"
  "$programs/bench-grains-balls" --out "$out"
  rm "$out/balls.txt"
fi
if [ -x "$programs/../capstan" ]; then
  echo "== grains-problems"
  saved=$(mktemp -d)
  for cell in 10 7 5; do
    "$programs/../capstan" run "$here/../scenes/sand-column.yaml" --set cell="$cell mm" --until 0.012 --save-problem "5:$saved" \
      -o "$saved/sand-$cell.h5" -q
  done
  "$programs/bench-grains-problems" --out "$out" "$saved"/sand-10-*.hdf5 "$saved"/sand-7-*.hdf5 "$saved"/sand-5-*.hdf5
  rm -r "$saved"
fi
echo "== ratios"
"$programs/bench-ratios" --tests "$here/../tests/scenes" $quick | tee "$out/ratios.md"
echo "== tolerance"
"$programs/bench-tolerance" --out "$out" --scenes "$here/../scenes"
if [ -x "$programs/bench-deform" ]; then
  echo "== deform"
  "$programs/bench-deform" --out "$out" $quick
fi
if [ -z "$quick" ] && [ -x "$programs/bench-cold" ]; then
  echo "== cold"
  "$programs/bench-cold" --out "$out" --seconds 8
fi
if [ -x "$programs/bench-narrow" ]; then "$programs/bench-narrow" --out "$out"; fi
if [ -x "$programs/bench-render" ]; then
  echo "== render"
  "$programs/bench-render" "$here/../scenes/free-a.yaml" | tee "$out/render.txt"
fi
if [ -z "$quick" ]; then "$here/insert-tables.sh"; fi
echo "Results are in $out"
