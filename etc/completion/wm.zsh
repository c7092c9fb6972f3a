# zsh completion of WM's commands. The functions stand here; behind them scripts/completions puts what each
# command's own table says. Lists are those of the cluster at this moment; one that does not answer is not waited for.

typeset -gA _wm_options _wm_values _wm_operands

_wm_ask() { timeout 1 "$@" -noheader 2>/dev/null | tr -d ' ' | sort -u }

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
            @signals) print -l INT TERM KILL STOP CONT USR1 USR2 HUP ;;
            @*) ;; # files, folders and programs: the shell's own
            *) echo "$kind" ;;
        esac
    done
}

_wm() {
    local name=${service:-${words[1]:t}} before=${words[CURRENT-1]} kinds='' verb='' i
    if (( ${+_wm_values[$name:$before]} )); then
        kinds=${_wm_values[$name:$before]}
    elif [[ ${words[CURRENT]} == -* ]]; then
        local -a described=("${(@f)_wm_options[$name]}")
        _describe option described
        return
    else
        for ((i = 2; i < CURRENT; i++)); do
            [[ -z $verb && ${words[i]} != -* ]] && (( ${+_wm_operands[$name:${words[i]}]} )) && verb=${words[i]}
        done
        kinds=${_wm_operands[$name:$verb]-}
    fi
    local -a found=(${(f)"$(_wm_list ${=kinds})"})
    (( $#found )) && compadd -- $found
    [[ $kinds == *@programs* ]] && _command_names -e
    if [[ $kinds == *@folders* ]]; then
        _files -/
    elif [[ $kinds == *@files* ]] || (( ! $#found )); then
        _files
    fi
}

