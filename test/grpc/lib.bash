# Role: what tests over gRPC are written with: system tests' own words, and clients made of our .proto
# files. Load with `load lib`.
load ../system/lib

# Python's messages and stubs, in the file's folder.
make_stubs() {
  command -v protoc grpc_python_plugin >/dev/null && $PYTHON -c 'import grpc' 2>/dev/null || return 0
  protoc -I "$TOP/daemons/wgrpc" --python_out="$BATS_FILE_TMPDIR" --grpc_out="$BATS_FILE_TMPDIR" \
    --plugin=protoc-gen-grpc="$(command -v grpc_python_plugin)" stream.proto kserve.proto
}
need_grpc() {
  [ -x "$B/sbin/wgrpc" ] || skip "wgrpc is not built: make grpc"
  [ -e "$BATS_FILE_TMPDIR/stream_pb2_grpc.py" ] || skip "no gRPC for Python: run scripts/bootstrap grpc"
}
# client FILE…: a program that says `from ask import …`
client() { GRPC_VERBOSITY=NONE PYTHONPATH=$BATS_FILE_TMPDIR:$TOP/test/grpc TOKEN=${TOKEN-$(dlim config -s)} LD_PRELOAD='' timeout 120 $PYTHON "$@"; }
