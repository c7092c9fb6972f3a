// Role: output of all workers: their lines as one, and what was found in them.

import {useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import type {FoundLine} from '../../api/shapes_logs.ts';
import {clean} from '../../base/text.ts';
import {Alert, Outside} from '../../parts/basic.tsx';
import type {MergedLine, MergedLog, MergedPiece} from './merged.ts';
import {foundWords, type LogSearch} from './search_log.ts';

const LINE_MOST = 1000;
const NEAR_PX = 24;

const Line = ({line}: {line: MergedLine}) => (
  <span class={`ml ${line.stream === 'stderr' ? 'er' : ''}`}>
    <b class={`k${(line.task % 7) + 1}`}>{line.task}</b> {clean(line.text, LINE_MOST)}
    {'\n'}
  </span>
);
/** Never drawn again. */
const Piece = ({piece}: {piece: MergedPiece}) =>
  useMemo(
    () => (
      <>
        {piece.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what came is never moved
          <Line key={i} line={line} />
        ))}
      </>
    ),
    [piece],
  );

export function MergedBox({log, none}: {log: MergedLog; none: string}) {
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    if (box.current && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log.pieces.value]);
  const onScroll = () => {
    const at = box.current;
    if (at) follows.current = at.scrollTop + at.clientHeight >= at.scrollHeight - NEAR_PX;
  };
  const empty = log.pieces.value.length === 0;
  return (
    <>
      <p class="logbar s m">
        <span>
          The number is the worker. Within one, lines are in order; between two that were there
          before, it is estimated.
        </span>
        {log.cut.value && <span>Earlier lines: choose a worker.</span>}
        {log.leftOut.value > 0 && <span>{log.leftOut.value} workers more are left out.</span>}
        {log.problem.value && <span class="err">{log.problem.value}</span>}
      </p>
      <section
        class="log"
        id="merged"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what is longer than its box
        tabIndex={0}
        aria-label="Output of all workers"
        ref={box}
        onScroll={onScroll}
      >
        <pre>
          {log.pieces.value.map((piece) => (
            <Piece key={piece.key} piece={piece} />
          ))}
          {empty && (log.loaded.value ? none : '')}
        </pre>
      </section>
    </>
  );
}

interface FoundProps {
  readonly search: LogSearch;
  readonly onLine: (line: FoundLine) => void;
}
/** Lines that were found; each leads to its place in its file. */
export function FoundBox({search, onLine}: FoundProps) {
  const found = search.found.value;
  const problem = search.doing.problem.value;
  if (!found) return problem ? <Alert text={problem} /> : null;
  return (
    <div class="found">
      <p role="status">
        {foundWords(found)}{' '}
        <button type="button" class="link s" onClick={search.close}>
          Close
        </button>
      </p>
      <ul>
        {found.matches.map((line) => (
          <li key={`${line.task} ${line.stream} ${line.at}`}>
            <button type="button" class="link" onClick={() => onLine(line)}>
              worker {line.task} {line.stream}:{line.line}
            </button>{' '}
            <code>
              <Outside text={line.text} most={300} />
            </code>
          </li>
        ))}
      </ul>
    </div>
  );
}
