"""Role: `logger`, which plugins write to; its lines are the standard error of the optimizer's job."""

import logging
import os
import sys

logger = logging.getLogger('plugin')
if not logger.handlers:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter('%(asctime)s %(levelname)s %(message)s'))
    logger.addHandler(handler)
    logger.setLevel(os.environ.get('WM_PLUGIN_LOG_LEVEL', 'INFO').upper())
    logger.propagate = False
