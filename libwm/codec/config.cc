// Role: bytes of the configuration (model/config/config.h).

#include "libwm/codec/codec.h"
#include "libwm/codec/config_fields.h"

WM_CODEC(wm::Config)
