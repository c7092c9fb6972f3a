// Role: what most tests include, parsed once a build (Makefile, PRECOMPILED). As with
// libwm/base/precompiled.h no test relies on it.
//
// Callers: the Makefile.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libwm/base/precompiled.h"
