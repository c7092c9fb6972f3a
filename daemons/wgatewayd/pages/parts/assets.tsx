// Role: what pages of assets share: links to runs, who may use what others share.

import {runPath} from '../api/client.ts';
import {Outside} from './basic.tsx';

/** The page of the execution that something came from. */
export const RunLink = ({run}: {run: string}) => (
  <a href={runPath(run)}>
    <Outside text={run} />
  </a>
);

/** Who may promote to a space, and deploy from it. */
const MAY_USE: ReadonlySet<string> = new Set(['editor', 'admin', 'owner']);
export const mayUse = (role: string) => MAY_USE.has(role);
