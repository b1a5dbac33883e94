#!/usr/bin/env bash
# Runs a command beside a Postgres of its own, which ends with it and leaves nothing behind.
#
#     scripts/with-postgres.sh cargo test
#
# The command finds the server's URL, with the right to create databases, in
# SIGNALBOX_TEST_POSTGRES_URL, and psql on its PATH.
working_directory=$PWD
source "$(dirname "$0")/lib.sh"

# Debian keeps the server's programs off the PATH, each version in a folder of its own.
find_postgres() {
	local initdb
	initdb=$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
	if [[ -x $initdb ]]; then
		dirname "$initdb"
	elif have initdb; then
		dirname "$(command -v initdb)"
	else
		return 1
	fi
}

bin=$(find_postgres) || {
	install_debian postgresql
	bin=$(find_postgres)
}
PATH=$bin:$PATH

home=$(mktemp -d)
as_server=()
if have setpriv; then
	# Ends even when we are killed and cannot see to it.
	as_server+=(setpriv --pdeathsig QUIT)
fi
if [[ $(id -u) -eq 0 ]]; then
	# Postgres refuses to run as root.
	as_server+=(--reuid postgres --regid postgres --clear-groups)
	chown postgres "$home"
fi
# Started where it may stand, as the server's user may not enter the folder that we are in.
cd "$home"

server=
finish() {
	if [[ -n $server ]]; then
		kill -QUIT "$server" 2>/dev/null || true # at once: nothing here is worth saving
		wait "$server" 2>/dev/null || true
	fi
	rm -rf "$home"
}
trap finish EXIT
trap 'exit 130' INT TERM

"${as_server[@]}" initdb --pgdata="$home/data" --username=signalbox --auth=trust \
	--encoding=UTF8 --locale=C --no-sync >"$home/initdb.log" 2>&1 ||
	die "initdb failed: $(cat "$home/initdb.log")"

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# Durable against the end of its clients, which the tests try, not against that of the machine.
"${as_server[@]}" postgres -D "$home/data" -c listen_addresses=127.0.0.1 -c port="$port" \
	-c unix_socket_directories= -c fsync=off -c full_page_writes=off \
	-c max_connections=200 -c shared_buffers=64MB >"$home/server.log" 2>&1 &
server=$!

export SIGNALBOX_TEST_POSTGRES_URL=postgres://signalbox@127.0.0.1:$port/postgres
for _ in {1..300}; do
	if pg_isready --quiet --dbname="$SIGNALBOX_TEST_POSTGRES_URL"; then
		ready=yes
		break
	fi
	kill -0 "$server" 2>/dev/null || break
	sleep 0.1
done
[[ ${ready:-} ]] || die "Postgres did not start: $(cat "$home/server.log")"

cd "$working_directory"
"$@"
