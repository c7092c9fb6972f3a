#!/usr/bin/env bats
# Role: what `make install` puts where, and what it leaves alone.

setup() {
  TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  export B=$BATS_TEST_TMPDIR/build DESTDIR=$BATS_TEST_TMPDIR/root prefix=/usr
  mkdir -p "$B"/{bin,sbin,lib/python/fabric_model}
  printf '#!/bin/sh\n' | tee "$B/bin/bsub" "$B/sbin/wmasterd" "$B/lib/libwmtrainer.so" >/dev/null
  echo '"""x"""' >"$B/lib/python/fabric_model/__init__.py"
}

install_it() { run "$TOP/scripts/install"; [ "$status" -eq 0 ]; }

@test "programs, library, modules, manuals, units and samples land in their folders" {
  install_it
  cd "$DESTDIR"
  [ -x usr/bin/bsub ]
  [ -x usr/sbin/wmasterd ]
  [ -f usr/lib/wm/python/../libwmtrainer.so ]
  [ -f usr/lib/wm/python/fabric_model/__init__.py ]
  [ -f usr/share/man/man8/wmasterd.8 ]
  [ -f usr/share/man/man5/wm.conf.5 ]
  [ -f usr/lib/systemd/system/wnoded.service ]
  [ -f usr/lib/sysusers.d/wm.conf ]
  [ -f etc/wm/queues.conf ]
  [ -f etc/logrotate.d/wm ]
  [ -f usr/share/bash-completion/completions/wm ]
  [ -f usr/share/bash-completion/completions/bjobs ]
}

@test "programs written for LSF find settings of the installed cluster" {
  cat >"$B/bin/badmin" <<'MADE'
#!/bin/sh
file=$2/lsf.conf
[ ! -e "$file" ] || [ "$(head -n 1 "$file")" = "# Made by badmin" ] || exit 0
printf '# Made by badmin\nLSF_ENVDIR=%s\nLSF_BINDIR=%s\n' "$WM_CONF_DIR" "${0%/*}" >"$file"
echo "$file"
MADE
  install_it
  grep -qx 'LSF_ENVDIR=/etc/wm' "$DESTDIR/etc/wm/lsf.conf"
  grep -qx 'LSF_BINDIR=/usr/bin' "$DESTDIR/etc/wm/lsf.conf"
  [ "$(. "$DESTDIR/etc/profile.d/wm.sh" && echo "$LSF_ENVDIR")" = /etc/wm ]
  echo LSF_ENVDIR=/else >>"$DESTDIR/etc/wm/lsf.conf"
  install_it
  ! grep -q /else "$DESTDIR/etc/wm/lsf.conf"
  echo '# mine' >"$DESTDIR/etc/wm/lsf.conf"
  install_it
  [ "$(cat "$DESTDIR/etc/wm/lsf.conf")" = '# mine' ]
}

@test "a configuration that is there is kept" {
  install_it
  echo '# mine' >"$DESTDIR/etc/wm/queues.conf"
  install_it
  [ "$(cat "$DESTDIR/etc/wm/queues.conf")" = '# mine' ]
  [[ $output == *"kept"*queues.conf* ]]
}

@test "another prefix keeps everything below it" {
  prefix=/opt/wm
  install_it
  [ -f "$DESTDIR/opt/wm/etc/wm/wm.conf" ]
  [ ! -e "$DESTDIR/etc" ]
}

@test "units and cron of the default prefix name its programs and a configuration that is found" {
  prefix=/usr/local
  umask 077
  install_it
  cd "$DESTDIR"
  grep -qx 'ExecStart=/usr/local/sbin/wmasterd --conf /etc/wm' usr/local/lib/systemd/system/wmasterd.service
  grep -qx 'ExecStart=/usr/local/sbin/wnoded --conf /etc/wm' usr/local/lib/systemd/system/wnoded.service
  [ -f etc/wm/wm.conf ]
  [ -f etc/logrotate.d/wm ]
  grep -q '^PATH=/usr/local/bin:' etc/cron.d/wm
  [ "$(stat -c %a usr/local/share/man/man8/wmasterd.8 usr/local/share/man | tr '\n' ' ')" = "644 755 " ]
}

@test "units of another prefix name the configuration below it" {
  prefix=/opt/wm
  install_it
  grep -qx 'ExecStart=/opt/wm/sbin/wmasterd --conf /opt/wm/etc/wm' "$DESTDIR/opt/wm/lib/systemd/system/wmasterd.service"
  grep -qx 'WM_CONF_DIR=/opt/wm/etc/wm' "$DESTDIR/opt/wm/etc/cron.d/wm"
  [[ $output == *"WM_CONF_DIR=/opt/wm/etc/wm"* ]]
}

@test "programs are installed without what only a debugger reads" {
  command -v gcc >/dev/null || skip "no compiler"
  echo 'int main(void) { return 0; }' | gcc -g -x c - -o "$B/bin/bjobs"
  nm "$B/bin/bjobs" | grep -q ' main$'
  install_it
  run nm "$DESTDIR/usr/bin/bjobs"
  [[ $output == *"no symbols"* ]]
  "$DESTDIR/usr/bin/bjobs"
  STRIP='' install_it
  nm "$DESTDIR/usr/bin/bjobs" | grep -q ' main$'
}

@test "what comes next is said, and not to who makes a package" {
  install_it
  [[ $output != *"ckconfig"* ]]
  DESTDIR='' prefix=$BATS_TEST_TMPDIR/own install_it
  [[ $output == *"systemd-sysusers $BATS_TEST_TMPDIR/own"*"hosts.conf"*"munge.key"*"badmin ckconfig"*"systemctl link"*"enable --now wnoded"* ]]
}

# unit_folders UNIT: what systemd gives to that unit's account
unit_folders() {
  sed -n 's/^\(State\|Runtime\|Logs\|Cache\|Configuration\)Directory=/\1 /p' "$TOP/etc/systemd/$1.service" |
    while read -r kind names; do for name in $names; do echo "$kind $name"; done; done
}

@test "no folder of one unit is, or lies in, one of the other: a restart would take it over" {
  for unit in wmasterd wnoded; do
    [ "$(unit_folders "$unit" | wc -l)" -ge 2 ]
    while read -r kind name; do
      while read -r kind_2 name_2; do
        [ "$kind" = "$kind_2" ] || continue
        [[ $name/ != "$name_2/"* && $name_2/ != "$name/"* ]] || { echo "$kind: $name, $name_2"; return 1; }
      done < <(for other in wmasterd wnoded; do [ "$other" = "$unit" ] || unit_folders "$other"; done)
    done < <(unit_folders "$unit")
  done
}

@test "systemd takes the units" {
  command -v systemd-analyze >/dev/null || skip "systemd is not installed"
  prefix=$BATS_TEST_TMPDIR/own DESTDIR='' install_it
  for program in wnoded wlogind wgatewayd wgrpc wpolicyd; do printf '#!/bin/sh\n' >"$prefix/sbin/$program"; chmod +x "$prefix/sbin/$program"; done
  for unit in wmasterd wnoded wlogind wgatewayd wgrpc wpolicyd; do
    # munge.service, nss-user-lookup and the like may not be on this machine; what is ours must be sound
    run systemd-analyze verify --man=no --recursive-errors=no "$prefix/lib/systemd/system/$unit.service"
    ! grep "$unit.service" <<<"$output" | grep -iE "unknown|ignoring|failed|not executable|bad|invalid" || { echo "$output"; return 1; }
  done
}

# exposure UNIT: what systemd makes of its sandbox, from 0.0 (none) to 10.0
exposure() { systemd-analyze security --offline=yes --threshold=100 "$TOP/etc/systemd/$1.service" | sed -n 's/.*exposure level for .*: \([0-9.]*\) .*/\1/p'; }
below() { awk -v is="$(exposure "$1")" -v most="$2" 'BEGIN { exit !(is != "" && is <= most) }' || { echo "$1: $(exposure "$1")"; return 1; }; }

@test "what faces HTTP is shut in, and what stays open of the others is known" {
  systemd-analyze security --help 2>/dev/null | grep -q -- --offline || skip "this systemd cannot tell offline"
  below wgatewayd 2.0
  below wgrpc 2.0
  below wmasterd 5.2
  below wpolicyd 2.0 # a command of the site's inherits it
  grep -qx User=wm-policy "$TOP/etc/systemd/wpolicyd.service"
  grep -q '^InaccessiblePaths=.*-/var/lib/wm ' "$TOP/etc/systemd/wpolicyd.service"
  below wlogind 5.8 # a wuserd inherits it, and writes its user's home
  for unit in wgatewayd wgrpc; do
    for line in ProtectHome=yes ProtectSystem=strict NoNewPrivileges=yes RestrictNamespaces=yes User=wm-web CapabilityBoundingSet=; do
      grep -qx "$line" "$TOP/etc/systemd/$unit.service" || { echo "$unit: no $line"; return 1; }
    done
  done
  ! grep -E '^(ProtectHome|ProtectSystem|RestrictNamespaces|PrivateTmp)=' "$TOP/etc/systemd/wlogind.service"
  # What has to outlive a restart lies in no folder that systemd removes with it.
  grep -q -- '--state /var/lib/wm-web ' "$TOP/etc/systemd/wgatewayd.service"
  grep -q -- '--state /var/lib/wm-login ' "$TOP/etc/systemd/wlogind.service"
}

@test "daemons that fail to start are tried without end" {
  for unit in "$TOP"/etc/systemd/*.service; do
    grep -qx Type=oneshot "$unit" && continue  # no daemon: its timer starts it again
    sed -n '/^\[Unit\]/,/^\[Service\]/p' "$unit" | grep -qx StartLimitIntervalSec=0
    grep -qx Restart=always "$unit"
  done
}

@test "uninstall leaves the configuration and what is not ours" {
  install_it
  mkdir -p "$DESTDIR/usr/lib/other"
  echo mine >"$DESTDIR/usr/bin/mine"
  run "$TOP/scripts/uninstall"
  [ "$status" -eq 0 ]
  left=$(cd "$DESTDIR" && find . ! -type d | grep -v '^./etc/wm/' | tr '\n' ' ')
  [ "$left" = "./usr/bin/mine " ] || { echo "$left"; return 1; }
  [ -f "$DESTDIR/etc/wm/queues.conf" ]
  [ ! -e "$DESTDIR/usr/lib/wm" ]
  run "$TOP/scripts/uninstall"
  [ "$status" -eq 1 ]
}

@test "every command and daemon has its manual page, and every command its completion" {
  install_it
  for program in "$TOP"/commands/*.cc "$TOP"/commands/gpu/*.cu; do
    name=$(basename "$program" | sed 's/\.[a-z]*$//')
    [ -f "$DESTDIR/usr/share/man/man1/$name.1" ] || { echo "no page: $name"; return 1; }
    [ -e "$DESTDIR/usr/share/bash-completion/completions/$name" ] || { echo "no completion: $name"; return 1; }
  done
  for guide in man7/wm-user.7 man7/wm-concepts.7 man7/wm-develop.7 man8/wm-admin.8; do [ -f "$DESTDIR/usr/share/man/$guide" ]; done
  [ -f "$DESTDIR/usr/share/doc/wm/guides/tune-a-model.md" ]
  for folder in "$TOP"/daemons/{wmasterd,wnoded,wshepherd}; do
    [ -f "$DESTDIR/usr/share/man/man8/$(basename "$folder").8" ] || { echo "no page: $folder"; return 1; }
  done
}

@test "what README tells people to run and to read is there" {
  cd "$TOP"
  for path in $(grep -oE '(^| |\()(scripts|libwm|test|daemons|commands)/[A-Za-z0-9_./-]*[a-z]' README.md | tr -d ' (' | sort -u); do
    [ -e "$path" ] || { echo "README.md: no $path"; return 1; }
  done
  grep -qE '^ +bsub .* libwm/trainer/examples/train.py$' README.md
  for goal in $(grep -oE '^ +make [a-z-]+' README.md | awk '{ print $2 }'); do
    grep -qE "^$goal:" Makefile || { echo "README.md: no make $goal"; return 1; }
  done
}

@test "every manual page is clean roff" {
  command -v groff >/dev/null || skip "groff is not installed"
  for page in "$TOP"/commands/*.md "$TOP"/commands/guides/*.md "$TOP"/daemons/*/*.md "$TOP"/libwm/conf/*.md; do
    [[ $page =~ \.[0-9]\.md$ ]] || continue
    run bash -c "'$TOP/scripts/md2man' '$page' | groff -man -Tutf8 -ww 2>&1 >/dev/null"
    [ -z "$output" ] || { echo "$page: $output"; return 1; }
  done
}

@test "what a command tells of itself is completed by three shells, whose files are where they look" {
  printf '#!/bin/sh\nprintf "synopsis\\tbsub [options] command\\noption\\t-q\\ttext\\tqueue\\t\\tQueue\\noption\\t-x\\tflag\\t\\t\\tAlone\\n"\n' >"$B/bin/bsub"; chmod +x "$B/bin/bsub"
  install_it
  cd "$DESTDIR/usr/share"
  run bash -c "source bash-completion/completions/bsub; COMP_WORDS=(bsub -); COMP_CWORD=1; _wm; echo \"\${COMPREPLY[@]}\""
  [ "$output" = "-q -x" ] || { echo "$output"; return 1; }
  grep -q '^#compdef .*bsub' zsh/vendor-completions/_wm
  grep -q "complete -c bsub -o x -d 'Alone'" fish/vendor_completions.d/bsub.fish
}

@test "the tests that SURFACE.md names are there" {
  cd "$TOP/test"
  while IFS='|' read -r file name; do
    grep -qF -- "$name" "$file" || { echo "SURFACE.md: no '$name' in $file"; return 1; }
  done < <(sed -nE 's/^- \[x\] .*: ([a-z]+\/[^ ]+) `(.*)`.*$/\1|\2/p' clients/SURFACE.md)
  [ "$(grep -c '^- \[x\]' clients/SURFACE.md)" -eq "$(grep -cE '^- \[x\] .*: [a-z]+/[^ ]+ `.*`' clients/SURFACE.md)" ]
}

@test "the tables of those who come from elsewhere name commands that are there, with their options" {
  cells=$(sed -n 's/^| .* | \(.*\) |$/\1/p' "$TOP/commands/guides/wm-user.7.md" | grep -oE '`b[a-z]+ -[^`]*`' | tr -d '`')
  [ "$(wc -l <<<"$cells")" -gt 30 ]
  while read -r command rest; do
    page=$TOP/commands/$command.1.md
    [ -f "$page" ] || { echo "no $command"; return 1; }
    for option in $(grep -oE '(^| )-[a-zA-Z]+' <<<"$rest"); do
      grep -qE -- "\`$option[\` ]|\*\*$option" "$page" || { echo "$command: no $option"; return 1; }
    done
  done <<<"$cells"
}
