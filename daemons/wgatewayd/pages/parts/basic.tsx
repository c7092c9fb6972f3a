// Role: the smallest parts: outside text, icons, badges, buttons that choose one of several.

import type {ComponentChildren, JSX} from 'preact';
import type {Icon as IconName, Shown} from '../base/states.ts';
import {state} from '../base/states.ts';
import {clean} from '../base/text.ts';

/** Outside text in its own direction, cut. */
export const Outside = ({text, most}: {text: unknown; most?: number}) => (
  <bdi>{clean(text, most)}</bdi>
);

const FULL = {fill: 'currentColor', stroke: 'none'};
const ICONS: Readonly<Record<IconName, JSX.Element>> = {
  run: (
    <>
      <circle cx="6" cy="6" r="4" {...FULL} />
      <circle cx="6" cy="6" r="5.4" stroke-width="1" />
    </>
  ),
  half: (
    <>
      <circle cx="6" cy="6" r="4.6" />
      <path d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" {...FULL} />
    </>
  ),
  wait: <circle cx="6" cy="6" r="4.6" stroke-dasharray="2 1.7" />,
  ok: <path d="M2 6.5 4.8 9.2 10 3.2" />,
  bad: <path d="M2.6 2.6l6.8 6.8M9.4 2.6 2.6 9.4" />,
  stop: <rect x="2.5" y="2.5" width="7" height="7" rx="1" />,
  hold: <path d="M4 2.5v7M8 2.5v7" />,
  what: <path d="M4 4.4a2 2 0 1 1 2.6 2c-.5.2-.6.5-.6 1.1M6 9.6v.1" />,
  plus: <path d="M6 2v8M2 6h8" />,
};

/** A drawing of 12 by 12; words beside it say what it means. */
export const Icon = ({name}: {name: IconName}) => (
  <svg class="i" viewBox="0 0 12 12" aria-hidden="true">
    {ICONS[name]}
  </svg>
);

export const Logo = () => (
  <svg viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor">
    <path d="M2 4v12h4V8h4v8h4V4h4v12" stroke-width="2" />
  </svg>
);

/** Icon and word of what is shown. */
export const Mark = ({shown, pill}: {shown: Shown; pill?: boolean}) => (
  <span class={`b ${pill ? 'pill ' : ''}${shown.kind}`}>
    <Icon name={shown.icon} />
    {shown.word}
  </span>
);

export const StateMark = ({word, pill = false}: {word: string; pill?: boolean}) => (
  <Mark shown={state(word)} pill={pill} />
);

export type Choice<T> = readonly [value: T, text: string, disabled?: boolean];

interface SegmentProps<T> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly Choice<T>[];
  readonly onChoose: (value: T) => void;
  /** Names the buttons, as NAME-VALUE. */
  readonly name?: string;
}

/** Buttons of which one is pressed. */
export const Segment = <T extends string | number>(props: SegmentProps<T>) => (
  <fieldset class="seg" aria-label={props.label}>
    {props.options.map(([value, text, disabled]) => (
      <button
        type="button"
        key={value}
        data-choice={props.name ? `${props.name}-${value}` : undefined}
        aria-pressed={props.value === value ? 'true' : 'false'}
        disabled={Boolean(disabled)}
        onClick={() => props.onChoose(value)}
      >
        {text}
      </button>
    ))}
  </fieldset>
);

/** Label, value, note: what a page says first. */
export interface Tile {
  readonly label: string;
  readonly value: ComponentChildren;
  readonly unit?: ComponentChildren;
  readonly note?: ComponentChildren;
}
export const Tiles = ({tiles}: {tiles: readonly Tile[]}) => (
  <dl class="panel facts">
    {tiles.map((tile) => (
      <div key={tile.label}>
        <dt>{tile.label}</dt>
        <dd class="v">
          {tile.value} <small>{tile.unit}</small>
        </dd>
        <dd class="s m">{tile.note}</dd>
      </div>
    ))}
  </dl>
);

interface PanelProps {
  readonly title: string;
  readonly id: string;
  readonly tools?: ComponentChildren;
  readonly children?: ComponentChildren;
  readonly class?: string;
}
/** A panel with its heading; what stands in it decides on its own margins. */
export const Panel = ({title, id, tools, children, ...rest}: PanelProps) => (
  <section class={`panel ${rest.class ?? ''}`} aria-labelledby={id}>
    <div class="ph">
      <h2 id={id}>{title}</h2>
      <span class="sp" />
      {tools}
    </div>
    {children}
  </section>
);

interface NextStepProps {
  /** What would be here, and what makes it. */
  readonly said: ComponentChildren;
  /** The same in a shell, or in a file of the configuration. */
  readonly line: string;
  readonly children?: ComponentChildren;
}
/** What stands where nothing is yet. */
export const NextStep = ({said, line, children}: NextStepProps) => (
  <>
    <p>{said}</p>
    <p class="cmd mono">{line}</p>
    {children}
  </>
);

export const Alert = ({text}: {text: string}) =>
  text ? (
    <p class="note err" role="alert">
      {clean(text, 600)}
    </p>
  ) : null;

/** Pairs of a word and what it is. What is null is left out. */
export const Pairs = ({list}: {list: readonly (readonly [string, ComponentChildren] | null)[]}) => (
  <dl class="kv">
    {list.flatMap((pair) =>
      pair ? [<dt key={pair[0]}>{pair[0]}</dt>, <dd key={`${pair[0]}.`}>{pair[1]}</dd>] : [],
    )}
  </dl>
);
