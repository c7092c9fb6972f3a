// Role: the one form: fields with what is wrong at them, and a summary above that leads to them and
// takes the focus when sending failed.

import type {
  ButtonHTMLAttributes,
  ComponentChildren,
  InputHTMLAttributes,
  TextareaHTMLAttributes,
} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import {clean} from '../base/text.ts';
import type {Form, Texts} from './form_model.ts';

interface FormProps<T extends Texts> {
  readonly form: Form<T>;
  readonly onSubmit: () => void;
  readonly children?: ComponentChildren;
  readonly id?: string;
  readonly class?: string;
  /** What it is, for who does not see it. */
  readonly label?: string;
}

const idOf = (name: string) => `f-${name}`;

function Summary<T extends Texts>({form}: {form: Form<T>}) {
  const box = useRef<HTMLDivElement>(null);
  const errors = Object.entries(form.errors.value);
  const problem = form.problem.value;
  const wrong = errors.length > 0 || problem !== '';
  useEffect(() => {
    if (wrong && !form.busy.peek()) box.current?.focus();
  }, [wrong, form.busy.value]);
  if (!wrong) return null;
  return (
    <div class="note err" role="alert" tabIndex={-1} ref={box}>
      {problem && <p>{clean(problem, 600)}</p>}
      {errors.map(([name, text]) => (
        <p key={name}>
          <a href={`#${idOf(name)}`} onClick={(event) => toField(event, name)}>
            {clean(text, 300)}
          </a>
        </p>
      ))}
    </div>
  );
}

function toField(event: Event, name: string) {
  event.preventDefault();
  document.getElementById(idOf(name))?.focus();
}

export function FormBox<T extends Texts>(props: FormProps<T>) {
  return (
    <form
      class={props.class ?? 'panel'}
      id={props.id}
      aria-label={props.label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      <Summary form={props.form} />
      {props.children}
    </form>
  );
}

interface FootProps {
  /** It is not sent again while it is busy. */
  readonly form: {readonly busy: {readonly value: boolean}};
  /** On the button that sends it. */
  readonly verb: string;
  /** Of that button, besides. */
  readonly button?: ButtonHTMLAttributes<HTMLButtonElement> & {readonly 'data-do'?: string};
  /** Of a form in a dialog. */
  readonly onCancel?: () => void;
  readonly children?: ComponentChildren;
}

/** The end of a form: what leaves it and what sends it. */
export const Foot = ({form, verb, button, onCancel, children}: FootProps) => (
  <div class="foot2">
    {children}
    {onCancel && (
      <button type="button" class="btn" onClick={onCancel}>
        Cancel
      </button>
    )}
    <button type="submit" class="btn pri" disabled={form.busy.value} {...button}>
      {verb}
    </button>
  </div>
);

interface FieldProps<T extends Texts> {
  readonly form: Form<T>;
  readonly name: keyof T & string;
  readonly label: string;
  readonly note?: ComponentChildren;
  /** Of the element, where two forms of a page have fields alike. */
  readonly id?: string;
  /** Called besides with what was typed. */
  readonly onSet?: (text: string) => void;
}

const Notes = ({id, error, note}: {id: string; error: string; note: ComponentChildren}) => (
  <>
    {error && (
      <small class="err" id={`${id}-e`}>
        {clean(error, 300)}
      </small>
    )}
    {note && <small id={`${id}-n`}>{note}</small>}
  </>
);

function useField<T extends Texts>({form, name, id, note, onSet}: FieldProps<T>) {
  const element = id ?? idOf(name);
  const error = form.errors.value[name] ?? '';
  const keep = (text: string) => {
    form.set(name, text as T[typeof name]);
    onSet?.(text);
  };
  const described = [error && `${element}-e`, note && `${element}-n`].filter(Boolean).join(' ');
  const about = {
    id: element,
    name,
    value: form.value.value[name] ?? '',
    'aria-invalid': error ? ('true' as const) : undefined,
    'aria-describedby': described || undefined,
  };
  return {error, about, keep, element};
}

type InputProps = InputHTMLAttributes<HTMLInputElement>;
export function Field<T extends Texts>(props: FieldProps<T> & {readonly input?: InputProps}) {
  const {error, about, keep, element} = useField(props);
  return (
    <label class="field" for={element}>
      <span>{props.label}</span>
      <input
        type="text"
        {...props.input}
        {...about}
        onInput={(event) => keep(event.currentTarget.value)}
      />
      <Notes id={element} error={error} note={props.note} />
    </label>
  );
}

export type Options = readonly (readonly [value: string, text: string])[];
export function Select<T extends Texts>(props: FieldProps<T> & {readonly options: Options}) {
  const {error, about, keep, element} = useField(props);
  return (
    <label class="field" for={element}>
      <span>{props.label}</span>
      <select {...about} onChange={(event) => keep(event.currentTarget.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value} selected={value === about.value}>
            {clean(text, 120)}
          </option>
        ))}
      </select>
      <Notes id={element} error={error} note={props.note} />
    </label>
  );
}

type AreaProps = TextareaHTMLAttributes<HTMLTextAreaElement>;
export function Area<T extends Texts>(props: FieldProps<T> & {readonly area?: AreaProps}) {
  const {error, about, keep, element} = useField(props);
  return (
    <label class="field" for={element}>
      <span>{props.label}</span>
      <textarea {...props.area} {...about} onInput={(event) => keep(event.currentTarget.value)} />
      <Notes id={element} error={error} note={props.note} />
    </label>
  );
}
