#!/usr/bin/env bats
# Role: the main job of elastic training, in its short form on CPUs: test/gpu/story.py, which a GPU machine runs in its long one.

load lib
setup() {
  programs_built || skip "daemons or commands are not built"
  $PYTHON -c 'import torch' 2>/dev/null || skip "no torch"
  cd "$BATS_TEST_TMPDIR" || return
}
after_each() { :; }

@test "a decoder in a plain loop with three lines more: resized, killed, resumed, and as a run of fixed size" {
  unset WM_CLUSTER_DIR
  CUDA_VISIBLE_DEVICES='' run "$PYTHON" "$TOP/test/gpu/story.py"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} =~ ^300\ steps\ on\ .*2,\ 3,\ 2,\ 3,\ 2\ ranks,\ resumed\ at\ step\ [0-9]+\ on\ 3:\ 7200\ samples,\ each\ in\ one\ applied\ step ]]
  [[ ${lines[-1]} =~ pauses\ .*3-\>2\ [0-9.]+\ ms.*\;\ goodput\ [0-9.]+% ]]
}

@test "without its three lines the script is one of plain PyTorch" {
  [ "$(grep -c '# elastic$' "$TOP/test/gpu/story_train.py")" -eq 3 ]
  sed '/# elastic$/d' "$TOP/test/gpu/story_train.py" >plain.py
  ! grep -q 'wm\b' plain.py
  CUDA_VISIBLE_DEVICES='' run "$PYTHON" -c 'import torch; torch.__dict__.pop("compile", None); exec(open("plain.py").read())' --passes 1 --samples 48
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"trained 2 steps"* ]]
}
