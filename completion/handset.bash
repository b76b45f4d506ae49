# bash completion for handset(1): the command itself knows what may come next.
_handset() {
    local candidate gap i rest=$COMP_LINE last line break part cut=
    local -a words=()
    COMPREPLY=()
    # Bash takes ":", "=" and "@" for the ends of words, too (COMP_WORDBREAKS): what no space stands between is one.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        gap=${rest%%[![:space:]]*}
        rest=${rest#"$gap"}
        rest=${rest#"${COMP_WORDS[i]}"}
        if [[ $i -gt 0 && -z $gap ]]; then
            words[${#words[@]}-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    last=${words[${#words[@]}-1]}
    if [[ ${#words[@]} -gt 1 && ${words[${#words[@]}-2]} == --socket ]]; then
        compopt -o default 2>/dev/null
        return
    fi
    # Bash replaces what stands after the last of these characters, and no more; "@" belongs to what follows it.
    for break in : = @; do
        part=${last%"${last##*"$break"}"}
        if [[ $break == @ ]]; then part=${part%@}; fi
        if [[ $COMP_WORDBREAKS == *"$break"* && ${#part} -gt ${#cut} ]]; then cut=$part; fi
    done
    # Words come from the daemon, too: they are quoted, and never evaluated.
    while IFS=$'\t' read -r line _; do
        [[ $line == "$cut"* ]] || continue
        printf -v candidate %q "${line#"$cut"}"
        COMPREPLY+=("$candidate")
    done < <("$1" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -F _handset handset
