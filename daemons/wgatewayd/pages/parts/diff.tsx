// Role: two texts as what changed between them: lines with their places, in pieces.

import {useMemo} from 'preact/hooks';
import {type DiffLine, type Hunk, hunksOf} from '../base/diff.ts';
import {clean} from '../base/text.ts';

const MOST_LINES = 2000;
const SIGN = {same: ' ', gone: '-', new: '+'} as const;
const WORD = {same: '', gone: 'gone: ', new: 'new: '} as const;

const Piece = ({hunk}: {hunk: Hunk}) => (
  <div class="hunk">
    {hunk.map((line) => (
      <div key={`${line.before} ${line.after}`} class={`dl ${line.kind}`}>
        <span aria-hidden="true">{line.before || ''}</span>
        <span aria-hidden="true">{line.after || ''}</span>
        <code>
          <span aria-hidden="true">{SIGN[line.kind]} </span>
          {WORD[line.kind] && <span class="unseen">{WORD[line.kind]}</span>}
          {clean(line.text, 400)}
        </code>
      </div>
    ))}
  </div>
);

/** @param empty what stands there where nothing is different */
export function Diff({lines, empty}: {lines: readonly DiffLine[]; empty: string}) {
  const hunks = useMemo(() => hunksOf(lines.slice(0, MOST_LINES)), [lines]);
  if (hunks.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="diff">
      {hunks.map((hunk) => (
        <Piece key={`${hunk[0]?.before} ${hunk[0]?.after}`} hunk={hunk} />
      ))}
    </div>
  );
}
