#!/bin/sh
# Tests the Debian package in a container with systemd: `make deb-check`. Installs the package, evaluates reports,
# reloads the configuration, starts the service by socket activation, kills it, and upgrades, removes and purges the
# package. PROFILE (default: dev) and TARGET select the built programs. Needs root and the programs listed below. Exits
# with status 3 if one of these requirements is missing.
set -eu
cd "$(dirname "$0")/../../.."
profile=${PROFILE:-dev} target=${TARGET:-}
not_checked() {
    echo "not checked: $*" >&2
    exit 3
}
for program in mmdebstrap systemd-nspawn nsenter lintian; do
    command -v "$program" >/dev/null || not_checked "$program is not installed (apt-get install mmdebstrap systemd-container lintian)"
done
[ "$(id -u)" = 0 ] || not_checked "starting a container requires root"
bin=target/${target:+$target/}$([ "$profile" = dev ] && echo debug || echo "$profile")
for program in gsar-server gsar gsar-calibrate; do
    [ -x "$bin/$program" ] || not_checked "$bin/$program is missing; make deb-check builds it if PROFILE is not set"
done

packages=$PWD/target/deploy/deb
rm -rf "$packages"
sh server/deploy/release/sbom.sh target/package
sh server/deploy/release/manuals.sh "$(uname -m)" "$bin" target/package
number=$(cargo pkgid --offline -p gsar-server | sed 's/.*[#@]//')
for revision in 1 2; do
    sh server/deploy/deb/package.sh "$profile" "$packages" "$number-$revision" "$target"
done
old=$(echo "$packages"/*-1_*.deb) new=$(echo "$packages"/*-2_*.deb)
base=$PWD/target/deploy/debian
sources=/etc/apt/sources.list.d/debian.sources
[ -f "$sources" ] || sources=/etc/apt/sources.list
# The base system contains only the package's dependencies.
[ -d "$base" ] || mmdebstrap --quiet --variant=minbase --include=systemd-sysv,libstdc++6 bookworm "$base" "$sources"

log=$(mktemp)
# Writes go to memory, so the base system stays unchanged.
systemd-nspawn --quiet --directory="$base" --volatile=overlay --boot --private-network --register=no --keep-unit --console=pipe \
    --bind-ro="$old:/srv/old.deb" --bind-ro="$new:/srv/new.deb" --bind-ro="$PWD/datasets/incidents/checkout-oom:/srv/incident" \
    </dev/null >"$log" 2>&1 &
machine=$!
# The container exits with its process 1, which ignores SIGTERM. RTMIN+4 makes systemd power off.
stop() {
    [ -z "${first:-}" ] || kill -RTMIN+4 "$first" 2>/dev/null || kill "$machine" 2>/dev/null || :
    wait "$machine" 2>/dev/null || :
    rm -f "$log" "$log.json"
}
trap stop EXIT

inside() { nsenter --target "$first" --mount --pid --uts --ipc --net -- "$@"; }
failed() {
    echo "failed: $*" >&2
    inside journalctl --no-pager --unit=gsar.service --unit=gsar.socket --lines=40 >&2 || cat "$log" >&2
    exit 1
}
expect() { [ "$2" = "$3" ] || failed "$1: found \`$2\`, expected \`$3\`"; }
report() { printf '  %s\n' "$*"; }

# On a slow machine, the start takes minutes.
tries=0
until first=$(pgrep -P "$machine"); do
    [ $((tries += 1)) -lt 600 ] || { cat "$log" >&2; exit 1; }
    sleep 0.1
done
tries=0
until [ "$(inside systemctl is-system-running 2>/dev/null)" = running ]; do
    [ $((tries += 1)) -lt 600 ] || failed "the container did not start: $(inside systemctl --failed --no-pager)"
    sleep 0.1
done

evaluate() {
    status=0
    # Runs as a user in the gsar group, as an agent would.
    inside setpriv --reuid=agent --regid=agent --init-groups env HOME=/tmp \
        gsar evaluate "/srv/incident/reports/$1.md" --evidence /srv/incident/evidence --endpoint unix:///run/gsar/gsar.sock \
        --output json >"$log.json" || status=$?
    case $status in 0 | 10 | 11 | 12) ;; *) failed "gsar evaluate exited with $status" ;; esac
    expect "the judge" "$(sh server/deploy/judge.sh <"$log.json")" local/1
    report "local/1 evaluated $1.md: exit status $status"
}
evaluation_count() { inside gsar ledger list --endpoint unix:///run/gsar/gsar.sock | grep -c .; }
property() { inside systemctl show --property="$1" --value gsar.service; }
main_pid() { property MainPID; }
proc_status() { inside sed -n "s/^$1:[[:space:]]*//p" "/proc/$(main_pid)/status"; }

echo "installation"
inside dpkg --install /srv/old.deb >"$log" 2>&1 || failed "$(cat "$log")"
inside useradd --groups gsar agent
expect "the service" "$(inside systemctl is-active gsar.service)" active
expect "the socket" "$(inside systemctl is-active gsar.socket)" active
expect "the units' state at boot" "$(inside systemctl is-enabled gsar.service gsar.socket | xargs)" "enabled enabled"
expect "the status text" "$(property StatusText)" serving
expect "the socket file" "$(inside stat --format='%U %G %a' /run/gsar/gsar.sock)" "gsar gsar 660"
expect "the state folder" "$(inside stat --format='%U %G %a' /var/lib/gsar)" "gsar gsar 700"
expect "the capability sets" "$(proc_status CapEff)$(proc_status CapBnd)" 00000000000000000000000000000000
expect "the NoNewPrivs and Seccomp status" "$(proc_status NoNewPrivs) $(proc_status Seccomp)" "1 2"
for file in /usr/share/man/man1/gsar-server.1.gz /usr/share/man/man1/gsar-evaluate.1.gz \
    /usr/share/bash-completion/completions/gsar /usr/share/zsh/vendor-completions/_gsar-server; do
    inside test -s "$file" || failed "$file is missing"
done
inside bash -n /usr/share/bash-completion/completions/gsar || failed "bash cannot parse the completions"
inside systemd-analyze verify --man=no gsar.service gsar.socket || failed "systemd-analyze rejected the units"
report "active, enabled, $(inside systemd-analyze security --no-pager gsar.service | tail -n 1 | sed 's/^[^O]*//')"

echo "evaluation"
evaluate faithful
evaluate contradicted
inside setpriv --reuid=nobody --regid=nogroup --clear-groups gsar health --endpoint unix:///run/gsar/gsar.sock 2>/dev/null &&
    failed "a user outside the group can call the server"
expect "the number of evaluations" "$(evaluation_count)" 2

echo "reload"
inside systemctl reload gsar.service
expect "the status text" "$(property StatusText)" serving

echo "socket activation"
inside systemctl stop gsar.service 2>/dev/null
expect "the service" "$(inside systemctl is-active gsar.service || :)" inactive
inside gsar health --endpoint unix:///run/gsar/gsar.sock || failed "the server does not respond on the socket"
expect "the service" "$(inside systemctl is-active gsar.service)" active

echo "restart after a kill"
before=$(main_pid)
inside systemctl kill --signal=KILL gsar.service
# Callers wait at the socket during the restart.
inside gsar health --endpoint unix:///run/gsar/gsar.sock || failed "the server does not respond on the socket after a kill"
[ "$(main_pid)" != "$before" ] || failed "the killed process is still the main process"
expect "the number of evaluations" "$(evaluation_count)" 2

echo "upgrade"
inside sh -c 'printf "\n[limits]\nclaims = 1999\n" >>/etc/gsar/gsar.toml'
before=$(main_pid)
inside dpkg --force-confold --install /srv/new.deb >"$log" 2>&1 || failed "$(cat "$log")"
expect "the version" "$(inside dpkg-query --show --showformat='${Version}' gsar)" "$(dpkg-deb --field "$new" Version)"
expect "the service" "$(inside systemctl is-active gsar.service)" active
[ "$(main_pid)" != "$before" ] || failed "the old server is still running"
expect "the number of evaluations" "$(evaluation_count)" 2
inside grep -q 1999 /etc/gsar/gsar.toml || failed "the upgrade lost the configuration"
evaluate faithful
expect "the number of evaluations" "$(evaluation_count)" 3

echo "removal"
inside dpkg --remove gsar >"$log" 2>&1 || failed "$(cat "$log")"
expect "the service" "$(inside systemctl is-active gsar.service || :)" inactive
inside test -e /run/gsar/gsar.sock && failed "the socket still exists"
inside test -s /var/lib/gsar/ledger.sqlite3 || failed "removal deleted the ledger"
inside grep -q 1999 /etc/gsar/gsar.toml || failed "removal deleted the configuration"

echo "purge"
inside dpkg --purge gsar >"$log" 2>&1 || failed "$(cat "$log")"
for left in /var/lib/gsar /etc/gsar /run/gsar /usr/lib/systemd/system/gsar.service /etc/systemd/system/multi-user.target.wants/gsar.service; do
    inside test -e "$left" && failed "$left still exists"
done

lintian --allow-root --fail-on error,warning --suppress-tags-from-file server/deploy/deb/lintian "$new"
echo "the Debian package passed all steps"
