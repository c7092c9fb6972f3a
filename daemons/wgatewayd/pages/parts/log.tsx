// Role: shows a growing file: what is added goes below what is there, which stays as it is, with
// what somebody has selected in it. It follows the end only while somebody is there.

import {useSignal} from '@preact/signals';
import {useEffect, useLayoutEffect, useMemo, useRef} from 'preact/hooks';
import {bytes, number} from '../base/number.ts';
import {clean} from '../base/text.ts';
import {type LogText, occurrences, type Piece} from './log_model.ts';

const NEAR_PX = 24;
const LINE_MOST = 4000;

/** Text of a piece, each line cut. */
const shown = (text: string) =>
  text
    .split('\n')
    .map((line) => clean(line, LINE_MOST))
    .join('\n');

/** Never drawn again: its text is for ever. */
const PieceText = ({piece}: {piece: Piece}) =>
  useMemo(() => <span data-at={piece.at}>{shown(piece.text)}</span>, [piece]);

const atEnd = (box: HTMLElement) => box.scrollTop + box.clientHeight >= box.scrollHeight - NEAR_PX;

/** Selects a place of the text, and brings it into sight. */
function showPlace(box: HTMLElement, place: {piece: Piece; index: number}, length: number) {
  const span = box.querySelector(`[data-at="${place.piece.at}"]`);
  const text = span?.firstChild;
  if (!(text instanceof Text)) return;
  const range = document.createRange();
  range.setStart(text, Math.min(place.index, text.length));
  range.setEnd(text, Math.min(place.index + length, text.length));
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  const line = range.getBoundingClientRect();
  box.scrollTop += line.top - box.getBoundingClientRect().top - box.clientHeight / 3;
}

function useFollowing(log: LogText) {
  const box = useRef<HTMLElement>(null);
  const follows = useSignal(true);
  const fresh = useSignal(0);
  const count = log.pieces.value.length;
  useLayoutEffect(() => {
    if (!box.current) return;
    if (follows.peek()) box.current.scrollTop = box.current.scrollHeight;
    else fresh.value = fresh.peek() + 1;
  }, [log.pieces.value]);
  useEffect(() => {
    if (count === 0) fresh.value = 0;
  }, [count === 0]);
  const onScroll = () => {
    if (!box.current) return;
    follows.value = atEnd(box.current);
    if (follows.value) fresh.value = 0;
  };
  const toEnd = async () => {
    follows.value = true;
    await log.toEnd();
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useLayoutEffect(() => {
    const at = log.wanted.value;
    const piece = log.pieces.peek().find((one) => at !== null && one.at <= at);
    if (at === null || !piece || !box.current) return;
    follows.value = false;
    // Bytes before it, as characters.
    const bytes = new TextEncoder().encode(piece.text).subarray(0, at - piece.at);
    const index = new TextDecoder().decode(bytes).length;
    const end = piece.text.indexOf('\n', index);
    showPlace(box.current, {piece, index}, (end < 0 ? piece.text.length : end) - index);
  }, [log.wanted.value]);
  return {box, follows, fresh, onScroll, toEnd};
}

interface FindProps {
  readonly log: LogText;
  /** Looks through all that there is, not only what is loaded. */
  readonly onWhole?: ((word: string) => void) | undefined;
  readonly place: (place: {piece: Piece; index: number}, length: number) => void;
}
function Find({log, place, onWhole}: FindProps) {
  const word = useSignal('');
  const at = useSignal(0);
  const found = occurrences(log.pieces.value, word.value);
  const next = (event: Event) => {
    event.preventDefault();
    if (!found.length) return;
    const one = found[at.value % found.length];
    at.value = (at.value + 1) % found.length;
    if (one) place(one, word.value.length);
  };
  return (
    <form onSubmit={next}>
      <input
        type="search"
        aria-label="Search the output"
        placeholder="Search"
        value={word.value}
        onInput={(event) => {
          word.value = event.currentTarget.value;
          at.value = 0;
        }}
      />
      {word.value && (
        <span class="s m" role="status">
          {' '}
          {number(found.length)} found{log.cut.value > 0 ? ' in what is loaded' : ''}
        </span>
      )}
      {word.value && onWhole && (
        <button
          type="button"
          class="link s"
          data-do="search-all"
          onClick={() => onWhole(word.value)}
        >
          {' '}
          Search all workers
        </button>
      )}
    </form>
  );
}

interface LogProps {
  readonly log: LogText;
  /** In the place of output, while there is none. */
  readonly none: string;
  readonly id?: string;
  readonly onWhole?: (word: string) => void;
}
export function LogBox({log, none, id, onWhole}: LogProps) {
  const {box, follows, fresh, onScroll, toEnd} = useFollowing(log);
  const empty = log.pieces.value.length === 0;
  const error = log.lastError();
  const place = (one: {piece: Piece; index: number}, length: number) =>
    box.current && showPlace(box.current, one, length);
  return (
    <>
      <div class="logbar">
        <Find log={log} place={place} onWhole={onWhole} />
        {error && (
          <button type="button" class="link s" onClick={() => place(error, 80)}>
            To the error
          </button>
        )}
        {(!follows.value || log.parted.value) && (
          <button type="button" class="link s" onClick={() => void toEnd()}>
            {fresh.value > 0 ? 'More below, follow' : 'Follow'}
          </button>
        )}
        {log.parted.value && (
          <button type="button" class="link s" onClick={() => void log.later()}>
            Load what follows
          </button>
        )}
        {log.cut.value > 0 && (
          <button type="button" class="link s" onClick={() => void log.earlier()}>
            {bytes(log.cut.value)} before
          </button>
        )}
        {log.problem.value && <span class="err s">{log.problem.value}</span>}
      </div>
      <section
        class="log"
        id={id}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll what is longer than its box
        tabIndex={0}
        aria-label="Output"
        ref={box}
        onScroll={onScroll}
      >
        <pre>
          {log.pieces.value.map((piece) => (
            <PieceText key={piece.at} piece={piece} />
          ))}
          {empty && (log.loaded.value ? none : '')}
        </pre>
      </section>
    </>
  );
}
