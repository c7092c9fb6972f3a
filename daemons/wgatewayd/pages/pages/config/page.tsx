// Role: a file of the configuration edited as a difference: judged as it is typed, looked ahead
// with, and handed over with the line that puts it in force. The page writes nothing.

import {useEffect, useMemo, useRef} from 'preact/hooks';
import type {ConfigFile} from '../../api/shapes_config.ts';
import {sumWords} from '../../base/diff.ts';
import {clean} from '../../base/text.ts';
import {Alert, Outside, Panel} from '../../parts/basic.tsx';
import {Diff} from '../../parts/diff.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {go, guardLeaving} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {session} from '../../state/session.ts';
import {Editing} from './model.ts';
import {PreviewPanel} from './preview.tsx';
import {applyLines, FILES, placeOf} from './rules.ts';

const Choose = ({file}: {file: string}) => (
  <label class="s">
    File{' '}
    <select
      aria-label="File"
      value={file}
      onChange={(event) => go(`/config/${event.currentTarget.value}`)}
    >
      {FILES.map(([name, what]) => (
        <option key={name} value={name} selected={name === file}>
          {`${name} – ${what}`}
        </option>
      ))}
    </select>
  </label>
);

function WrongLines({model, onLine}: {model: Editing; onLine: (line: number) => void}) {
  const wrong = model.wrong.value;
  const warnings = model.checked.value?.warnings ?? [];
  if (model.problem.value) return <Alert text={`Not checked: ${model.problem.value}`} />;
  if (model.checked.value === null) return <p class="m s">Being checked …</p>;
  return (
    <div role="status">
      {wrong.length === 0 && <p class="b run">badmin ckconfig finds no errors.</p>}
      {wrong.length > 0 && (
        <ul class="explained">
          {wrong.map(({line, text}) => (
            <li key={`${line} ${text}`} class="err">
              {line > 0 && (
                <button type="button" class="link" onClick={() => onLine(line)}>
                  Line {line}
                </button>
              )}{' '}
              {clean(text, 600)}
            </li>
          ))}
        </ul>
      )}
      {warnings.map((text) => (
        <p key={text} class="note warn">
          {clean(text, 600)}
        </p>
      ))}
    </div>
  );
}

function Editor({model, known}: {model: Editing; known: ConfigFile}) {
  const area = useRef<HTMLTextAreaElement>(null);
  const toLine = (line: number) => {
    const [from, to] = placeOf(model.text.peek(), line);
    area.current?.focus();
    area.current?.setSelectionRange(from, to);
    const all = model.text.peek().split('\n').length;
    const height = area.current?.scrollHeight ?? 0;
    if (area.current) area.current.scrollTop = (height * Math.max(0, line - 4)) / all;
  };
  return (
    <Panel title="Text" id="h-t" tools={<Choose file={model.file} />}>
      <div class="pb">
        {known.parts.length > 0 && (
          <p class="m s">
            It includes <Outside text={known.parts.join(', ')} most={400} />, which are edited in a
            shell.
          </p>
        )}
        <textarea
          ref={area}
          name="text"
          class="conf"
          aria-label={model.file}
          spellcheck={false}
          rows={18}
          value={model.text.value}
          onInput={(event) => model.type(event.currentTarget.value)}
        />
        <WrongLines model={model} onLine={toLine} />
      </div>
    </Panel>
  );
}

function Changes({model}: {model: Editing}) {
  const lines = model.lines.value;
  const keys = model.checked.value?.changes ?? [];
  const words = sumWords(lines);
  return (
    <Panel title="What is changed" id="h-d" tools={<span class="s m">{words}</span>}>
      {model.wrong.value.length === 0 && words && (
        <ul class="keys">
          {keys.map((text) => (
            <li key={text}>{clean(text, 400)}</li>
          ))}
          {keys.length === 0 && <li class="m">Nothing that is in force: remarks and blanks.</li>}
        </ul>
      )}
      <Diff lines={lines} empty="Nothing yet: what is typed above is compared with the file." />
    </Panel>
  );
}

function save(name: string, text: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type: 'text/plain'}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function Apply({model, known}: {model: Editing; known: ConfigFile}) {
  const ready = model.changed.value && model.wrong.value.length === 0;
  return (
    <Panel title="Put it in force" id="h-a">
      <div class="pb">
        <p>
          No page writes configuration. Save the file, and on the master’s host, as an
          administrator:
        </p>
        <pre class="cmd">{clean(applyLines(model.file, known.path).join('\n'), 2000)}</pre>
        <p class="gap2">
          <button
            type="button"
            class="btn pri"
            data-do="save"
            disabled={!ready}
            onClick={() => save(model.file, model.text.peek())}
          >
            Save {model.file}
          </button>{' '}
          <button
            type="button"
            class="btn"
            data-do="discard"
            disabled={!model.changed.value}
            onClick={() => model.discard()}
          >
            Discard
          </button>
        </p>
      </div>
    </Panel>
  );
}

function Standing({known}: {known: ConfigFile}) {
  return (
    <>
      {known.wrong.length > 0 && (
        <div class="note err">
          <p>The files as they are would be refused:</p>
          {known.wrong.map((text) => (
            <p key={text}>{clean(text, 400)}</p>
          ))}
        </div>
      )}
      {known.pending.length > 0 && (
        <div class="note warn">
          <p>The master’s files have changes that are not in force yet (badmin reconfig):</p>
          {known.pending.slice(0, 20).map((text) => (
            <p key={text}>{clean(text, 400)}</p>
          ))}
        </div>
      )}
    </>
  );
}

function Body({model, known}: {model: Editing; known: ConfigFile}) {
  return (
    <>
      <Stale of={model.there} />
      <Standing known={known} />
      {model.overtaken.value && (
        <p class="note warn">
          {model.file} was changed on the disk since this text was begun: what is changed below is
          against the newer one.
        </p>
      )}
      <Editor model={model} known={known} />
      <Changes model={model} />
      <PreviewPanel model={model} />
      <Apply model={model} known={known} />
    </>
  );
}

function Config({file}: {file: string}) {
  const model = useOnce(() => new Editing(file));
  useEffect(() => {
    const guard = () =>
      model.changed.peek() ? `${file} is edited and not saved. The draft stays in this tab.` : null;
    const ends = [keepAsking(model.there), guardLeaving(guard), () => model.end()];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <Loaded of={model.there} title={file}>
      {(known) => (
        <Page
          title={file}
          crumb="Configuration"
          sub={<Outside text={known.path} most={300} />}
          still
        >
          <Body model={model} known={known} />
        </Page>
      )}
    </Loaded>
  );
}

export default function ConfigPage({args: [file]}: {args: readonly string[]}) {
  const name = useMemo(() => file || 'queues.conf', [file]);
  if (session.value && !session.value.admin)
    return (
      <Page title="Configuration" still>
        <p class="sub">This is for administrators.</p>
      </Page>
    );
  return <Config key={name} file={name} />;
}
