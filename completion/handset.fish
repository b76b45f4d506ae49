# fish completion for handset(1): the command itself knows what may come next.
function __handset_candidates
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete -- $words[2..] 2>/dev/null
end
complete -c handset -f -n 'not string match -q -- --socket (commandline -opc)[-1]' -a '(__handset_candidates)'
complete -c handset -F -n 'string match -q -- --socket (commandline -opc)[-1]'
