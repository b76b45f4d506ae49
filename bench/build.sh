#!/bin/sh
# Builds what is older than its source: the rig, the relay, libopus alone, and echo cancellers to compare with.
set -e
here=$(cd "$(dirname "$0")" && pwd)
run=${BENCH_RUN:-${TMPDIR:-/tmp}/voip-bench}
mkdir -p "$run/build"

# build NAME SOURCE COMPILER OPTIONS...
build() {
    to=$run/build/$1 from=$here/$2 compiler=$3
    shift 3
    for part in "$from" "$here"/*/*.h; do
        [ ! -e "$part" ] || [ "$to" -nt "$part" ] || break
        part=
    done
    [ ! "$part" ] || "$compiler" -O2 -Wall -o "$to" "$from" "$@"
}

build libasound_module_pcm_rig.so rig/pcm_rig.c gcc -shared -fPIC -DPIC -lasound -lm
build rigloop rig/rigloop.c gcc -lasound
build relay relay/relay.c gcc
build opus_bare bare/opus_bare.c gcc -lopus
build least_endpoint bare/least_endpoint.c gcc -lopus -lasound -lpthread
if pkg-config --exists speexdsp; then build speex_cancel cancel/speex.c gcc -lspeexdsp; fi
webrtc=webrtc-audio-processing
if pkg-config --exists "$webrtc"; then
    build webrtc_cancel cancel/webrtc.cc g++ $(pkg-config --cflags "$webrtc") $(pkg-config --libs "$webrtc")
fi
