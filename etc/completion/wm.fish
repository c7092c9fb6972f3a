# fish completion of one of WM's commands. The functions stand here; behind them scripts/completions puts what the
# command's own table says. Lists are those of the cluster at this moment; one that does not answer is not waited for.

function __wm_ask
    timeout 1 $argv -noheader 2>/dev/null | string trim | sort -u
end

function __wm_list # WORD…: words, and in place of @LIST what it holds
    for kind in $argv
        switch $kind
            case @jobs
                __wm_ask bjobs -o jobid
            case @queues
                __wm_ask bqueues -o queue_name
            case @hosts
                __wm_ask bhosts -o host_name
            case @plans
                __wm_ask bplans -o plan
            case @profiles
                __wm_ask bapp -o app_name
            case @groups
                __wm_ask bjgroup -o group_name
            case @usergroups
                __wm_ask bugroup -o group_name
            case @hostgroups
                __wm_ask bmgroup -o group_name
            case @users
                echo all
                getent passwd | cut -d: -f1
            case @searches
                timeout 1 bsearch list 2>/dev/null | awk 'NR > 1 { print $NF }'
            case @signals
                printf '%s\n' INT TERM KILL STOP CONT USR1 USR2 HUP
            case @files
                __fish_complete_path (commandline -ct)
            case @folders
                __fish_complete_directories (commandline -ct)
            case @programs
                __fish_complete_command
            case '*'
                echo $kind
        end
    end
end

function __wm_first # VERB…: none of them has been said yet
    set -l said (commandline -opc)[2..-1]
    for verb in $argv
        contains -- $verb $said; and return 1
    end
    return 0
end

function __wm_behind # VERB: it has been said
    contains -- $argv[1] (commandline -opc)[2..-1]
end

