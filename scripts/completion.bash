# Completion of `capstan` in bash: commands, options and their values, files. What there is to complete is read from the
# command's own help, so that it is never older than the command.

# Values of an option: methods, quantities to plot, or the words that its line of the help lists ("pvd, usda, gltf, obj or csv").
_capstan_values() {  # _capstan_values OPTION CAPSTAN SUBCOMMAND
  case $1 in
    --method) "$2" methods 2>/dev/null | sed -n '/(--method)/,/^$/s/^  \([^ ]*\) .*/\1/p' ;;
    --local) "$2" methods 2>/dev/null | sed -n '/(--local)/,/^$/s/^  \([^ ]*\) .*/\1/p' ;;
    --what) "$2" "$3" --help 2>/dev/null | sed -n '/--what is one of/,/^or /s/^  \([a-z]*\) .*/\1/p' ;;
    --*)
      "$2" "$3" --help 2>/dev/null |
        sed -n "s/^  \(-., \)\{0,1\}$1 [^ ]*  *\([a-z]\{1,\}\(, [a-z]\{1,\}\)* or [a-z]\{1,\}\).*/\2/p" | sed 's/, / /g; s/ or / /'
      ;;
  esac
}

# Scenes that came with the command, by name.
_capstan_scenes() {
  local folder here
  here=$(dirname "$(readlink -f "$(type -P "$1")")")
  for folder in "$here/../share/capstan/scenes" "$here/../scenes"; do
    if [[ -d $folder ]]; then
      ls "$folder" | sed -n 's/\.yaml$//p'
      return
    fi
  done
}

# -c of render is --colour: the long name of a letter, from the help.
_capstan_long() {
  case $1 in
    --*) echo "$1" ;;
    -?) "$2" "$3" --help 2>/dev/null | sed -n "s/^  $1, \(--[a-z-]*\).*/\1/p" ;;
  esac
}

_capstan_files() {
  local ending
  case $1 in
    run) ending='yaml|yml|hair|ply|data|bin' ;;
    check | sweep) ending='yaml|yml' ;;
    view) ending='h5|yaml|yml|hair|ply|data|bin' ;;
    render | plot | export) ending='h5' ;;
    solve | compare) ending='hdf5|h5' ;;
    info) ending='h5|hdf5|hair|ply|data' ;;
    convert) ending='h5|hair|ply|data' ;;
    *) return ;;
  esac
  local path
  compgen -d -- "$2" || :
  while IFS= read -r path; do
    [[ ! -d $path && $path =~ \.($ending)$ ]] && echo "$path"
  done < <(compgen -f -- "$2")
}

_capstan() {
  local command=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    values=$("$command" --help 2>/dev/null | sed -n 's/^  \([a-z]*\) .* .*/\1/p' | grep -v '^capstan$')
    mapfile -t COMPREPLY < <(compgen -W "$values --help --version" -- "$word")
    return
  fi
  local sub=${COMP_WORDS[1]}
  if [[ $word == -* ]]; then
    values=$("$command" "$sub" --help 2>/dev/null | sed -n '/^options:/,/^examples:/s/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    return
  fi
  values=$(_capstan_values "$(_capstan_long "$before" "$command" "$sub")" "$command" "$sub")
  if [[ $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [[ $sub == generate && $COMP_CWORD == 2 ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'fibres stack spheres' -- "$word")
  else
    compopt -o filenames 2>/dev/null || : # quoted where they must be, a slash behind folders
    mapfile -t COMPREPLY < <(_capstan_files "$sub" "$word")
    # packaged scenes once a letter is typed
    if [[ $sub =~ ^(run|check|sweep|view|invert)$ && $before != -* && $word && $word != */* ]]; then
      mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_capstan_scenes "$command")" -- "$word")
    fi
  fi
}

complete -F _capstan capstan
