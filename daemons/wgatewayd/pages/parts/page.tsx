// Role: what every page has around it: heading, live mark, what it is about, and what stands in its
// place while nothing is known yet, where nothing is there, and where asking failed.

import type {ComponentChildren} from 'preact';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {clean} from '../base/text.ts';
import {duration} from '../base/time.ts';
import {heardAt, live, trouble} from '../live/port.ts';
import {visits} from '../state/address.ts';
import type {Asked} from '../state/asked.ts';
import {second} from '../state/clock.ts';
import './together.ts';

/** Live, or since when what is shown is not. */
export function LiveMark() {
  const age = heardAt.value ? second.value - heardAt.value : 0;
  const words = heardAt.value ? `Reconnecting, data ${duration(age)} old` : 'Connecting';
  return (
    <span class={live.value ? 'live' : 'live off'} role="status">
      <i />
      {live.value ? 'Live' : words}
    </span>
  );
}

interface PageProps {
  /** What the browser calls it, without the application's name. */
  readonly title: string;
  readonly name?: ComponentChildren;
  readonly crumb?: ComponentChildren;
  readonly sub?: ComponentChildren;
  readonly acts?: ComponentChildren;
  readonly still?: boolean;
  readonly children?: ComponentChildren;
}

/** Which visit took the focus last. */
let focused = 0;
/** The heading that had it is gone: what stands in its place takes it. */
let left = false;

export function Page({title, name, crumb, sub, acts, still, children}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${clean(title)} · WM`;
  }, [title]);
  useLayoutEffect(() => {
    const own = heading.current;
    if (visits.peek() !== focused || left) own?.focus({preventScroll: true});
    focused = visits.peek();
    left = false;
    return () => {
      left = own !== null && document.activeElement === own;
    };
  }, []);
  return (
    <>
      <div class="head">
        <div>
          {crumb && <p class="crumb">{crumb}</p>}
          <h1 tabIndex={-1} ref={heading}>
            {name ?? clean(title)}
          </h1>
          {sub && <p class="sub">{sub}</p>}
        </div>
        {(acts || !still) && (
          <div class="acts">
            {!still && <LiveMark />}
            {acts}
          </div>
        )}
      </div>
      {children}
    </>
  );
}

export const NotFound = () => (
  <Page title="Not found" still>
    <p class="sub">
      There is nothing at this address, or nothing that you may see.{' '}
      <a href="/apps">Applications</a>
    </p>
  </Page>
);

const Failed = ({words, again}: {words: string; again: () => void}) => (
  <p class="note err" role="alert">
    {words}{' '}
    <button type="button" class="btn" onClick={again}>
      Try again
    </button>
  </p>
);

/** In the place of jobs of which no list has come: why, where that is known. */
export const NotListed = () =>
  trouble.value ? (
    <p class="note err" role="alert">
      The list of jobs has not come: {clean(trouble.value, 300)}. It is asked for again.
    </p>
  ) : (
    <div class="ghost" aria-hidden="true" />
  );

interface LoadedProps<T> {
  readonly of: Asked<T>;
  /** What the page is called while its own name is not known. */
  readonly title: string;
  readonly children: (value: T) => ComponentChildren;
}

/**
 * What is not known yet is neither empty nor zero; what was known stays where asking again fails.
 */
export function Loaded<T>({of, title, children}: LoadedProps<T>) {
  const value = of.value.value;
  const failure = of.failure.value;
  if (value !== null) return <>{children(value)}</>;
  if (failure?.status === 404) return <NotFound />;
  return (
    <Page title={title} still>
      {failure ? (
        <Failed words={failure.message} again={() => void of.refresh()} />
      ) : (
        <div class="ghost" aria-hidden="true" />
      )}
    </Page>
  );
}

/** That asking again failed, above what is known still. */
export const Stale = ({of}: {of: Asked<unknown>}) =>
  of.failure.value && of.value.value !== null ? (
    <Failed words={of.failure.value.message} again={() => void of.refresh()} />
  ) : null;
