#compdef capstan
# Completion of `capstan` in zsh: commands, options, files. What there is to complete is read from the command's own help, so that
# it is never older than the command.

_capstan_commands() {
  "$1" --help 2>/dev/null | sed -n '/^  run /,/^$/s/^  \([a-z]*\)  *\(.*\)/\1:\2/p'
}

_capstan_options() {
  "$1" "$2" --help 2>/dev/null |
    sed -n '/^options:/,/^examples:/{s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}   *\(.*\)/\2:\4/;s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}$/\2/;/^--/p}'
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
    _files
  fi
}

# sourced by a test, it only defines the functions
if [[ $zsh_eval_context[-1] == loadautofunc || -n $compstate ]]; then _capstan "$@"; fi
