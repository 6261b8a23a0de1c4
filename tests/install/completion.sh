#!/usr/bin/env bash
# usage: completion.sh COMPLETION CAPSTAN   Completes words as a shell would, and compares with what must be offered.
set -euo pipefail
# shellcheck source=scripts/completion.bash
source=$(realpath "$1")
source "$source"
command=$2
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
touch wall.yaml wall.h5 wall.hdf5 notes.txt
mkdir scenes

expect() {  # expect WANTED WORD...: the words that complete the last WORD, in any order
  local wanted=$1
  shift
  COMP_WORDS=("$command" "$@")
  COMP_CWORD=$#
  _capstan
  local got
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')
  [ "$got" = "$wanted " ] || { echo "capstan $*: offered '$got', not '$wanted'" >&2; exit 1; }
}

expect "check compare convert" c
expect "render run" r
expect "--help" --h
expect "--fibre-width --fit --fov --fps --frames" render --f
expect "--threads --time-limit --tol" solve --t
expect "scenes wall.yaml" run ''
expect "scenes wall.h5" render ''
expect "wall.h5 wall.hdf5" info wall
expect "usda" export wall.h5 --to u
expect "usda" export wall.h5 -t u
expect "tension" render wall.h5 -c t
expect "gs gs-parallel" solve wall.hdf5 --method gs
expect "fibres" generate f
expect "energy" plot wall.h5 --what e
expect "inner" solve wall.hdf5 --facet-kind i
expect "towel tower" run towe  # a scene that came with the command
expect "knot" view kno

# every command of the help, and every option of each, is offered
for sub in $("$command" --help | sed -n '/^  run /,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  expect "$sub" "$sub"
  for option in $("$command" "$sub" --help | sed -n '/^options:/,/^examples:/p' | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
    COMP_WORDS=("$command" "$sub" "$option")
    COMP_CWORD=2
    _capstan
    printf '%s\n' "${COMPREPLY[@]}" | grep -qx -- "$option" || { echo "capstan $sub: $option is not offered" >&2; exit 1; }
  done
done
# zsh and fish ask the same help
folder=$(dirname "$source")
commands=$("$command" --help | sed -n '/^  run /,/^$/s/^  \([a-z]*\) .*/\1/p' | sort)
options=$("$command" render --help | sed -n '/^options:/,/^examples:/p' | grep -oE '^  (-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort)
same() {  # same SHELL GOT WANTED
  [ "$2" = "$3" ] || { echo "$1 offers '$2', not '$3'" >&2; exit 1; }
}
if command -v zsh >/dev/null; then
  same zsh "$(zsh -fc "source '$folder/completion.zsh'; _capstan_commands '$command'" | cut -d: -f1 | sort)" "$commands"
  same zsh "$(zsh -fc "source '$folder/completion.zsh'; _capstan_options '$command' render" | cut -d: -f1 | sort)" "$options"
  values() { zsh -fc "source '$folder/completion.zsh'; _capstan_values '$command' $1 $2" | sort | tr '\n' ' '; }
  same zsh "$(values export --to)" "csv gltf obj pvd usda "
  same zsh "$(values export -t)" "csv gltf obj pvd usda "
  same zsh "$(values plot --what | grep -o energy)" energy
  same zsh "$(zsh -fc "source '$folder/completion.zsh'; _capstan_scenes '$command'" | grep -x tower)" tower
else
  echo "zsh: skipped, it is not installed"
fi
if command -v fish >/dev/null; then
  PATH=$(dirname "$command"):$PATH
  same fish "$(fish -Nc "source '$folder/completion.fish'; complete -C 'capstan '" | cut -f1 | sort)" "$commands"
  same fish "$(fish -Nc "source '$folder/completion.fish'; complete -C 'capstan render --'" | cut -f1 | sort)" "$options"
  values() { fish -Nc "source '$folder/completion.fish'; complete -C 'capstan $1'" | cut -f1 | sort | tr '\n' ' '; }
  same fish "$(values 'export wall.h5 --to ')" "csv gltf obj pvd usda "
  same fish "$(values 'export wall.h5 -t ')" "csv gltf obj pvd usda "
  same fish "$(values 'plot wall.h5 --what en')" "energy "
  same fish "$(values 'run towe')" "towel tower "
else
  echo "fish: skipped, it is not installed"
fi
echo "all commands and options are offered"
