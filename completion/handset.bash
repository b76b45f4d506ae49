# bash completion for handset(1): the command itself knows what may come next.
_handset() {
    local line
    COMPREPLY=()
    if [[ ${COMP_WORDS[COMP_CWORD-1]} == --socket ]]; then
        compopt -o default 2>/dev/null
        return
    fi
    # Words come from the daemon, too: they are quoted, and never evaluated.
    while IFS=$'\t' read -r line _; do
        COMPREPLY+=("$(printf %q "$line")")
    done < <("$1" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _handset handset
