// Role: bytes of the configuration (model/config.h).

#include "libwm/codec/config_fields.h"

#include "libwm/codec/codec.h"


WM_CODEC(wm::Config)
