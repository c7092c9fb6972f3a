# Role: what the drivers of clients are written with: system tests' own words, and a skip where the
# client is not installed. Load with `load lib`.
load ../system/lib

# client PROGRAM…: skips the test where one of them is missing
client() {
  local program
  for program in "$@"; do
    command -v "$program" >/dev/null || skip "$program is not installed (scripts/bootstrap clients)"
  done
}
