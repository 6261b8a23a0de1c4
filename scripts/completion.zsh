#compdef capstan
# Completion of `capstan` in zsh: commands, options and their values, scenes, files. What there is to complete is read from the command's own help, so that
# it is never older than the command.

_capstan_commands() {
  "$1" --help 2>/dev/null | sed -n '/^  run /,/^$/s/^  \([a-z]*\)  *\(.*\)/\1:\2/p'
}

_capstan_options() {
  "$1" "$2" --help 2>/dev/null |
    sed -n '/^options:/,/^examples:/{s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}   *\(.*\)/\2:\4/;s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}$/\2/;/^--/p}'
}

# Values of an option, as in completion.bash.
_capstan_values() {
  case $3 in
    --method | -m) "$1" methods 2>/dev/null | sed -n '/(--method)/,/^$/s/^  \([^ ]*\) .*/\1/p' ;;
    --local | -l) "$1" methods 2>/dev/null | sed -n '/(--local)/,/^$/s/^  \([^ ]*\) .*/\1/p' ;;
    --what | -w) "$1" "$2" --help 2>/dev/null | sed -n '/--what is one of/,/^or /s/^  \([a-z]*\) .*/\1/p' ;;
    -*)
      "$1" "$2" --help 2>/dev/null | grep -E -- "^  (-., )?$3[ ,]" |
        sed -n 's/^  \(-., \)\{0,1\}--[a-z-]* [^ ]*  *\([a-z]\{1,\}\(, [a-z]\{1,\}\)* or [a-z]\{1,\}\).*/\2/p' | sed 's/, / /g; s/ or / /' | tr ' ' '\n'
      ;;
  esac
}

_capstan_scenes() {
  local here=${${:-$(whence -p $1)}:A:h} folder
  for folder in $here/../share/capstan/scenes $here/../scenes; do
    [[ -d $folder ]] && print -l $folder/*.yaml(N:t:r) && return
  done
}

_capstan() {
  local -a found
  if (( CURRENT == 2 )); then
    found=(${(f)"$(_capstan_commands $words[1])"})
    _describe command found
  elif [[ $words[CURRENT] == -* ]]; then
    found=(${(f)"$(_capstan_options $words[1] $words[2])"})
    _describe option found
  else
    found=(${(f)"$(_capstan_values $words[1] $words[2] $words[CURRENT-1])"})
    if (( $#found )); then
      compadd -a found
      return
    fi
    if [[ $words[2] == (run|check|sweep|view|invert) && $words[CURRENT-1] != -* ]]; then
      found=(${(f)"$(_capstan_scenes $words[1])"})
      compadd -a found
    fi
    _files
  fi
}

# sourced by a test, it only defines the functions
if [[ $zsh_eval_context[-1] == loadautofunc || -n $compstate ]]; then _capstan "$@"; fi
