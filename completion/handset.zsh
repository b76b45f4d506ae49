#compdef handset
# zsh completion for handset(1): the command itself knows what may come next.
_handset() {
    local -a names shown
    local line
    if [[ ${words[CURRENT-1]} == --socket ]]; then
        _files
        return
    fi
    while IFS= read -r line; do
        names+=("${line%%$'\t'*}")
        shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    done < <("${words[1]}" complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
    compadd -l -d shown -a names
}
# Loaded by compinit it is called at once; sourced, it has to be made known.
if [[ ${funcstack[1]} == _handset ]]; then _handset "$@"; else compdef _handset handset; fi
