// Role: the entry: asks who is logged on while the page's code is fetched, and draws the frame.

import {render} from 'preact';
import {path} from '../state/address.ts';
import {enter} from '../state/session.ts';
import {Frame} from './frame.tsx';
import {find} from './routes.ts';

void find(path.peek())
  ?.route.load()
  .catch(() => {});
void enter();
const root = document.getElementById('app');
if (root) {
  root.replaceChildren();
  render(<Frame />, root);
}
