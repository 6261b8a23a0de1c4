# Completion of `capstan` in fish: commands, options and their values, scenes, files. What there is to complete is read from the command's own help, so that
# it is never older than the command.

function __capstan_commands
    $argv[1] --help 2>/dev/null | sed -n '/^  run /,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __capstan_options
    set -l words (commandline -opc)
    $words[1] $words[2] --help 2>/dev/null | sed -n '/^options:/,/^examples:/{s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}   *\(.*\)/\2\t\4/;s/^  \(-., \)\{0,1\}\(--[a-z-]*\)\( [^ ]*\)\{0,1\}$/\2/;/^--/p}'
end

# Values of the option before the cursor, as in completion.bash.
function __capstan_values
    set -l words (commandline -opc)
    switch $words[-1]
        case --method -m
            $words[1] methods 2>/dev/null | sed -n '/(--method)/,/^$/s/^  \([^ ]*\) .*/\1/p'
        case --local -l
            $words[1] methods 2>/dev/null | sed -n '/(--local)/,/^$/s/^  \([^ ]*\) .*/\1/p'
        case --what -w
            $words[1] $words[2] --help 2>/dev/null | sed -n '/--what is one of/,/^or /s/^  \([a-z]*\) .*/\1/p'
        case '-*'
            $words[1] $words[2] --help 2>/dev/null | grep -E -- "^  (-., )?$words[-1][ ,]" | sed -n 's/^  \(-., \)\{0,1\}--[a-z-]* [^ ]*  *\([a-z]\{1,\}\(, [a-z]\{1,\}\)* or [a-z]\{1,\}\).*/\2/p' | sed 's/, / /g; s/ or / /' | tr ' ' '\n'
    end
end

# Scenes that came with the command, where a scene may stand.
function __capstan_scenes
    set -l words (commandline -opc)
    contains -- $words[2] run check sweep view invert; and not string match -q -- '-*' $words[-1]; or return
    set -l here (dirname (readlink -f (command -s $words[1])))
    for folder in $here/../share/capstan/scenes $here/../scenes
        if test -d $folder
            ls $folder | sed -n 's/\.yaml$//p'
            return
        end
    end
end

complete -c capstan -n 'test (count (commandline -opc)) -eq 1' -f -a '(__capstan_commands (commandline -opc)[1])'
complete -c capstan -n 'test (count (commandline -opc)) -ge 2; and string match -q -- "-*" (commandline -ct)' -f -a '(__capstan_options)'
complete -c capstan -n 'test (count (commandline -opc)) -ge 2; and test -n "$(__capstan_values)"' -f -a '(__capstan_values)'
complete -c capstan -n 'test (count (commandline -opc)) -ge 2' -a '(__capstan_scenes)'
