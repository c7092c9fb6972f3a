// Role: the field of a filter: its words, what is wrong with them and where, what would complete
// them.

import {useRef} from 'preact/hooks';
import {completions} from '../base/query.ts';

interface FilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly names: readonly string[];
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly problems?: readonly {readonly at: number; readonly text: string}[];
}

export function Filter(props: FilterProps) {
  const field = useRef<HTMLInputElement>(null);
  const caret = field.current?.selectionStart ?? props.value.length;
  const before = props.value.slice(0, caret).replace(/\S+$/, '');
  const offered = completions(props.value, caret, props.names, props.values ?? {});
  return (
    <>
      <span class="filterbox">
        <input
          type="search"
          ref={field}
          name="filter"
          aria-label={props.label}
          placeholder={props.placeholder}
          value={props.value}
          list="filter-words"
          aria-invalid={props.problems?.length ? 'true' : undefined}
          onInput={(event) => props.onInput(event.currentTarget.value)}
        />
        <datalist id="filter-words">
          {offered.map((word) => (
            <option key={word} value={before + word} />
          ))}
        </datalist>
      </span>
      {props.problems?.map((problem) => (
        <span class="filter-err" role="status" key={problem.at}>
          {problem.text}
        </span>
      ))}
    </>
  );
}
