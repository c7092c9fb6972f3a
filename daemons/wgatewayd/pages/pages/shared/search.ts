// Role: what a search is about, in words. Pure.

import type {SearchRow} from '../../api/shapes_more.ts';

/** "TPE, minimize loss". */
export const aim = ({search}: SearchRow) =>
  `${search.algorithm || 'auto'}, ${search.goal || 'minimize'} ${search.metric}`;
