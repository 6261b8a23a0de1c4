# Completion of `capstan` in fish: commands, options, files. What there is to complete is read from the command's own help, so that
# it is never older than the command.

function __capstan_commands
    $argv[1] --help 2>/dev/null | sed -n '/^  run /,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __capstan_options
    set -l words (commandline -opc)
    $words[1] $words[2] --help 2>/dev/null | sed -n '/^options:/,/^examples:/{s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}   *\(.*\)/\2\t\4/;s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}$/\2/;/^--/p}'
end

complete -c capstan -n 'test (count (commandline -opc)) -eq 1' -f -a '(__capstan_commands (commandline -opc)[1])'
complete -c capstan -n 'test (count (commandline -opc)) -ge 2; and string match -q -- "-*" (commandline -ct)' -f -a '(__capstan_options)'
