// Role: what pages of jobs and of runs share comes as one file, for the same reason as
// parts/together.ts.

import './act_dialog.tsx';
import './kept_views.tsx';
