# bash completion of WM's commands. The functions stand here; behind them scripts/completions puts what each
# command's own table says. Lists are those of the cluster at this moment; one that does not answer is not waited for.

declare -A _wm_options _wm_values _wm_operands

_wm_ask() { timeout 1 "$@" -noheader 2>/dev/null | tr -d ' ' | sort -u; }

_wm_list() { # WORD…: words, and in place of @LIST what it holds
    local kind
    for kind in "$@"; do
        case $kind in
            @jobs) _wm_ask bjobs -o jobid ;;
            @queues) _wm_ask bqueues -o queue_name ;;
            @hosts) _wm_ask bhosts -o host_name ;;
            @plans) _wm_ask bplans -o plan ;;
            @profiles) _wm_ask bapp -o app_name ;;
            @groups) _wm_ask bjgroup -o group_name ;;
            @usergroups) _wm_ask bugroup -o group_name ;;
            @hostgroups) _wm_ask bmgroup -o group_name ;;
            @users) echo all; getent passwd | cut -d: -f1 ;;
            @searches) timeout 1 bsearch list 2>/dev/null | awk 'NR > 1 { print $NF }' ;;
            @signals) echo INT TERM KILL STOP CONT USR1 USR2 HUP ;;
            @*) ;; # files, folders and programs: the shell's own
            *) echo "$kind" ;;
        esac
    done
}

# What stands first among the words that are no options: a verb, perhaps.
_wm_verb() {
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -* ]] || { [ -z "${_wm_operands[$1:${COMP_WORDS[i]}]+x}" ] || { echo "${COMP_WORDS[i]}"; return; }; }
    done
}

_wm() {
    local name=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} kinds
    if [ -n "${_wm_values[$name:$before]+x}" ]; then
        kinds=${_wm_values[$name:$before]}
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${_wm_options[$name]}" -- "$word")
        return
    else
        kinds=${_wm_operands[$name:$(_wm_verb "$name")]-}
    fi
    # shellcheck disable=SC2086 # words
    mapfile -t COMPREPLY < <(compgen -W "$(_wm_list $kinds)" -- "$word")
    [[ $kinds != *@programs* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$word")
    if [[ $kinds == *@folders* ]]; then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- "$word")
    elif [[ $kinds == *@files* || ${#COMPREPLY[@]} -eq 0 ]]; then
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word")
    fi
}

