#!/usr/bin/env bash
# Measures Signalbox beside plain proxies and other gateways. `make bench` builds it first.
#
#     scripts/bench.sh [--quick] [--only SECTIONS] [--peers NAMES] [--render]
source "$(dirname "$0")/lib.sh"

# Whatever proxy the machine has does not stand between the bench and loopback.
export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost

# The upstream and the load; HAProxy is a contender that would otherwise just be absent.
missing=()
have nginx && [[ -e /usr/lib/nginx/modules/ngx_http_echo_module.so ]] || missing+=(nginx-light)
have haproxy || missing+=(haproxy)
have wrk || missing+=(wrk)
((${#missing[@]} == 0)) || install_debian "${missing[@]}"

have python3 || install_debian python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
	die "please install Python 3.11 or newer: this is $(python3 --version)"

# Needs nothing but Python itself; the peers come in environments of their own.
cd e2e
exec python3 -m bench "$@"
