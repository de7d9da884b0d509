# Sourced by scripts that measure or test a running server: builds tiffin-live for release, makes throw-away keys, starts
# it on free loopback ports, and ends it with the script. $server_log (server) is the name of its log in $work. TIFFIN_LIVE=PROGRAM takes a built program instead.
# Leaves: $work (a temporary folder), $tiffin_live; after start_server also $server_pid, $port, $admin_port.

work=$(mktemp -d "${TMPDIR:-/tmp}/tiffin-live.XXXXXX")
server_pid=
end_server() {
    [ -n "$server_pid" ] || return 0
    kill "$server_pid" 2>/dev/null || true
    # Draining is not what is tested here: a second signal hurries it.
    kill "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
    server_pid=
}
end_all() { end_server; rm -rf "$work"; }
trap end_all EXIT

build_server() {
    tiffin_live=${TIFFIN_LIVE:-}
    if [ -z "$tiffin_live" ]; then
        scripts/setup
        echo "building for release"
        swift build -c release --product tiffin-live --quiet
        tiffin_live=$(swift build -c release --show-bin-path)/tiffin-live
    fi
    mkdir -p "$work/keys"
    "$tiffin_live" keygen --alg ES256 --kid throw-away --out "$work/keys" >/dev/null
    # Limits out of the way: what is looked at is the protocol or the speed, and messages may be large.
    cat >"$work/config.json5" <<CONFIG
{
  listen: ["127.0.0.1:0"], admin: ["127.0.0.1:0"], threads: 1,
  tokens: { keys: "file:$work/keys/keys.json", maxLifetime: "1h" },
  heartbeat: { ping: "10m", pong: "1m" },
  routes: {
    "/echo": { transports: ["websocket"], topics: ["riders:{sub}"], credentials: ["bearer"], echo: true },
    "/rider/socket": { transports: ["websocket", "sse"], topics: ["riders:{sub}"], credentials: ["bearer"], inbound: true },
    "/feed": { transports: ["websocket"], topics: ["feeds:{role}"], credentials: ["bearer"] }
  },
  topics: {
    "riders:{rider}": { role: "rider", claim: { sub: "{rider}" } },
    "feeds:{feed}": { claim: { role: "{feed}" } }
  },
  limits: { perUser: 0, message: "16MiB", outbound: "64MiB", messages: { rate: 0, burst: 0 } },
  drain: { grace: "0s", spread: "0s" }
}
CONFIG
}

# token SUBJECT: a rider's token for the next 50 minutes.
token() { "$tiffin_live" token --key "$work/keys/private.json" --sub "$1" --role rider --ttl 3000; }

# start_server [COMMAND…]: runs it behind COMMAND (taskset -c 0) and waits until it listens.
start_server() {
    local log=$work/${server_log:-server}
    : >"$log.log"
    "$@" "$tiffin_live" serve --config "$work/config.json5" >"$log.log" 2>"$log.err" &
    server_pid=$!
    port=
    local try
    for try in $(seq 100); do
        port=$(sed -nE '/"event":"listening"/s/.*"listen":\["127\.0\.0\.1:([0-9]+)".*/\1/p' "$log.log" | head -n 1)
        admin_port=$(sed -nE '/"event":"listening"/s/.*"admin":\["127\.0\.0\.1:([0-9]+)".*/\1/p' "$log.log" | head -n 1)
        [ -z "$port" ] || return 0
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.1
    done
    echo "the server does not listen:" >&2
    tail -n 20 "$log.log" "$log.err" >&2
    return 1
}
