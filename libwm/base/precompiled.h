// Role: what most files include of the standard library, parsed once a build: the compiler gets it
// before each file (Makefile, PRECOMPILED). No file relies on it: each includes what it uses, and
// `make PRECOMPILED=` builds without it. Nothing of WM's stands here: its headers change.
//
// Callers: the Makefile, test/support/precompiled.h.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
