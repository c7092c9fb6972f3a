// Role: what most pages use comes with what all of them need, as one file: divided among them each
// of these would be a file of its own, and cost more than it saves.

import '../base/order.ts';
import '../base/values.ts';
import '../live/jobs.ts';
import '../state/doing.ts';
import './asking.tsx';
import './filter.tsx';
import './form.tsx';
import './table.tsx';
