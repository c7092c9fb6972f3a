"""Role: `plugins.core.logger` and `plugins.core.base_plugin_opt` of WMLA, for plugins that are run by
wm_optimizer. @source wmla-surface 5.4"""
