#!/usr/bin/env bats
# Role: what `make deb` puts into which package, and what the packages' scripts leave alone.

has_tools() { command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; }
setup_file() {
  has_tools || return 0
  TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  export B=$BATS_FILE_TMPDIR/build DEB_VERSION=1.2.3
  mkdir -p "$B"/{bin,sbin,lib/python/fabric_model}
  for program in bin/bsub bin/wmreport sbin/wmasterd sbin/wnoded sbin/wshepherd sbin/wpolicyd sbin/wgatewayd; do cp /bin/true "$B/$program"; done
  printf '#!/bin/sh\n' >"$B/bin/badmin"
  echo '"""x"""' >"$B/lib/python/fabric_model/__init__.py"
  mkdir -p "$B/pages/s" && echo page >"$B/pages/index.html" && echo '<svg/>' >"$B/pages/icon.svg"
  echo 1 >"$B/pages/s/main-ABCD.js" && echo -n 'sha256-a/b+c=' >"$B/pages/style_hash"
  STRIP='' "$TOP/scripts/deb" >"$BATS_FILE_TMPDIR/said"
}
setup() {
  has_tools || skip "no dpkg-deb, dpkg-shlibdeps on this machine"
  TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  debs=$BATS_FILE_TMPDIR/build/deb
  cd "$BATS_TEST_TMPDIR" || return
}

has() { dpkg-deb -c "$debs/$1"_1.2.3_*.deb | awk '{ print $6 }' | grep -qx "\.$2"; }

@test "each file is in one package, and where it belongs" {
  has wm-common /etc/wm/queues.conf
  has wm-common /usr/lib/sysusers.d/wm.conf
  has wm-common /usr/lib/tmpfiles.d/wm.conf
  has wm-common /etc/logrotate.d/wm
  has wm-client /usr/bin/bsub
  has wm-client /usr/share/man/man1/bsub.1
  has wm-client /usr/lib/wm/python/fabric_model/__init__.py
  has wm-master /usr/sbin/wmasterd
  has wm-master /usr/lib/systemd/system/wmasterd.service
  has wm-master /usr/sbin/wpolicyd
  has wm-master /usr/lib/systemd/system/wpolicyd.service
  has wm-master /usr/bin/wmreport
  has wm-master /etc/cron.d/wm
  has wm-node /usr/sbin/wnoded
  has wm-node /usr/sbin/wshepherd
  has wm-node /usr/lib/systemd/system/wnoded.service
  has wm-web /usr/sbin/wgatewayd
  [ ! -e "$(echo "$debs"/wm-grpc_*.deb)" ] # it is built separately
  has wm-doc /usr/share/doc/wm/INSTALL.md
  for deb in "$debs"/*.deb; do dpkg-deb -c "$deb" | awk '$1 !~ /^d/ { print $6 }'; done | sort | uniq -d >twice
  [ ! -s twice ] || { cat twice; return 1; }
}

@test "the pages go as they were built, and nginx lets their style through" {
  for file in index.html icon.svg s/main-ABCD.js; do has wm-web /usr/share/wm/pages/$file; done
  dpkg-deb --fsys-tarfile "$debs"/wm-web_*.deb | tar -xO ./usr/share/wm/nginx/wm.conf >conf
  grep -q "style-src 'self' 'sha256-a/b+c='" conf
  cp -r "$BATS_FILE_TMPDIR/build" build && rm -rf build/deb build/pages # where node was not
  B=$PWD/build DEB_VERSION=1.2.3 STRIP='' "$TOP/scripts/deb" >said
  ! dpkg-deb -c build/deb/wm-web_1.2.3_*.deb | grep -q share/wm/pages
  ! dpkg-deb --fsys-tarfile build/deb/wm-web_*.deb | tar -xO ./usr/share/wm/nginx/wm.conf | grep -q '@style_hash@'
}

@test "what speaks gRPC is a package of its own where it was built" {
  cp -r "$BATS_FILE_TMPDIR/build" build && rm -rf build/deb && cp /bin/true build/sbin/wgrpc
  B=$PWD/build DEB_VERSION=1.2.3 STRIP='' "$TOP/scripts/deb" >said
  dpkg-deb -c build/deb/wm-grpc_1.2.3_*.deb | awk '$1 !~ /^d/ { print $6 }' | sort >list
  for file in /usr/sbin/wgrpc /usr/lib/systemd/system/wgrpc.service /usr/share/man/man8/wgrpc.8 /usr/share/wm/grpc/stream.proto; do
    grep -qx "\.$file" list || { echo "$file"; cat list; return 1; }
  done
  dpkg-deb -f build/deb/wm-grpc_*.deb Depends | grep -q 'wm-web (= 1.2.3)'
}

@test "what an administrator edits is configuration; packages go together" {
  dpkg-deb -I "$debs"/wm-common_*.deb conffiles | grep -qx /etc/wm/wm.conf
  dpkg-deb -I "$debs"/wm-master_*.deb conffiles | grep -qx /etc/cron.d/wm
  dpkg-deb -f "$debs"/wm-node_*.deb Depends | grep -q 'wm-client (= 1.2.3)'
  dpkg-deb -f "$debs"/wm-node_*.deb Depends | grep -q libc6
  [ "$(dpkg-deb -f "$debs"/wm-doc_*.deb Architecture)" = all ]
}

@test "a package says which release of Debian it is for, so that one of the next takes its place" {
  printf 'ID=debian\nVERSION_ID="13"\n' >release
  DEB_VERSION='' OS_RELEASE=$PWD/release DEB_OUT=$PWD/13 STRIP='' "$TOP/scripts/deb" >said
  version=$(dpkg-deb -f 13/wm-node_*.deb Version)
  [ "$version" = "$(sed -n 's/^VERSION := //p' "$TOP/config.mk")+deb13" ]
  dpkg-deb -f 13/wm-node_*.deb Depends | grep -q "wm-client (= $version)"
  dpkg --compare-versions "$version" gt "${version/13/12}"
}

@test "a node that is stopped or upgraded leaves its jobs alone, a removal the state" {
  grep -qx KillMode=process "$TOP/etc/systemd/wnoded.service"
  for script in "$TOP"/etc/debian/*.p*; do sh -n "$script"; done
  ! grep -q 'systemctl.*stop\|disable' "$TOP"/etc/debian/wm-node.postinst
  grep -q '= remove \]' "$TOP/etc/debian/wm-node.prerm"
  for package in master node; do
    sed -n '1,/purge/p' "$TOP/etc/debian/wm-$package.postrm" | grep -q 'rm -rf' && return 1
    grep -q "rm -rf /var/lib/wm/$package" "$TOP/etc/debian/wm-$package.postrm"
  done
}

@test "the master is hardened" {
  for setting in NoNewPrivileges=yes ProtectSystem=strict ProtectHome=yes PrivateDevices=yes ProtectKernelModules=yes \
    RestrictSUIDSGID=yes; do
    grep -qx $setting "$TOP/etc/systemd/wmasterd.service"
  done
}

@test "the guide's lines each say who types them, and where" {
  bad=$(sed -n 's/^    //p' "$TOP/etc/INSTALL.md" | grep -vE '^(first|second)# .|^(ann|bob)\$ .' || true)
  [ -z "$bad" ] || { echo "$bad"; return 1; }
}
