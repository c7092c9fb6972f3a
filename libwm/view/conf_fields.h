// Role: what is shown of application profiles and users, which no verb gives: a reader of the
// configuration shows them. Used by json.h. Pure.
#pragma once

#include <span>

#include "libwm/model/config/config.h"
#include "libwm/view/field.h"

namespace wm::view {

/// Fields of a profile: nothing of the commands that an administrator gave it. @cost O(1)
std::span<const Field<AppConf>> app_fields();
/// Fields of a section of users.conf. @cost O(1)
std::span<const Field<UserConf>> user_fields();

}  // namespace wm::view
