// Role: Runs: all that has run, mine first, also what only the archive knows: found by words, with
// settings and metrics as columns; starred, tagged, stopped, deleted and compared.

import {effect, useSignal} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import {counted, number} from '../../base/number.ts';
import {clean, wordList} from '../../base/text.ts';
import {onChange} from '../../live/port.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Segment} from '../../parts/basic.tsx';
import {Dialog} from '../../parts/dialog.tsx';
import {Filter} from '../../parts/filter.tsx';
import {Page} from '../../parts/page.tsx';
import {memory, Table} from '../../parts/table.tsx';
import {clearParams, go, setParam} from '../../state/address.ts';
import {useOnce} from '../../state/asked.ts';
import {paced} from '../../base/limiter.ts';
import {outcomeWords} from '../shared/acts.ts';
import {KeptViews, ViewDialog} from '../shared/kept_views.tsx';
import '../shared/together.ts';
import {columnsOf, nameOf} from './columns.tsx';
import {Runs} from './model.ts';
import {RUN_FIELDS, RUN_VALUES} from './rules.ts';

const FILTER_MS = 250;

function Bar({model, asking}: {model: Runs; asking: Asking}) {
  const columns = useSignal(false);
  const open = () => {
    columns.value = true;
    void model.compare(true);
  };
  return (
    <div class="bar">
      <Segment
        label="Whose"
        value={model.mine.value ? '' : 'all'}
        options={[
          ['', 'Mine'],
          ['all', 'Everyone'],
        ]}
        onChoose={(whose) => setParam('whose', whose)}
      />
      <Filter
        label="Filter runs"
        placeholder="Filter: lr, state:failed, tag:paper, is:starred"
        value={model.filter.value}
        names={RUN_FIELDS}
        values={{...RUN_VALUES, tag: tagsOf(model)}}
        problems={model.asked.value.problems}
        onInput={(text) => setParam('q', text)}
      />
      <button type="button" class="chip" data-do="columns" onClick={open}>
        Columns {model.columns.value.length || ''}
      </button>
      <KeptViews views={model.views} asking={asking} />
      <Dialog
        id="columns"
        title="Columns"
        open={columns.value}
        onClose={() => {
          columns.value = false;
        }}
      >
        <ColumnChoice model={model} />
      </Dialog>
    </div>
  );
}
const tagsOf = (model: Runs) => [...new Set((model.rows.value ?? []).flatMap((run) => run.tags))];

/** Names of all runs that are here; those that are shown and that none has any more as well. */
function ColumnChoice({model}: {model: Runs}) {
  const word = useSignal('');
  const on = model.columns.value;
  const all = [...new Set([...on, ...model.names.value])];
  const found = all.filter((column) => nameOf(column).toLowerCase().includes(word.value));
  const toggle = (column: string) =>
    model.setColumns(on.includes(column) ? on.filter((c) => c !== column) : [...on, column]);
  return (
    <>
      <label class="field">
        <span>Settings and metrics of these runs</span>
        <input
          type="search"
          placeholder="Find one"
          onInput={(event) => {
            word.value = event.currentTarget.value.toLowerCase();
          }}
        />
      </label>
      <div class="choices">
        {found.slice(0, 200).map((column) => (
          <label key={column}>
            <input type="checkbox" checked={on.includes(column)} onChange={() => toggle(column)} />
            {` ${clean(nameOf(column), 60)} `}
            <span class="m s">{column.startsWith('s:') ? 'setting' : 'metric'}</span>
          </label>
        ))}
        {found.length === 0 && <p class="m s">None has one of that name.</p>}
        {found.length > 200 && <p class="m s">{number(found.length - 200)} more: find by name.</p>}
      </div>
    </>
  );
}

function Bulk({model, asking}: {model: Runs; asking: Asking}) {
  const count = model.chosen.value.size;
  const words = outcomeWords(model.outcomes.value);
  const ask = (title: string, said: string, verb: string, act: () => unknown) =>
    asking.ask({title, said: <p>{said}</p>, verb, act: () => void act()});
  const tag = () => {
    const text = prompt('Tags to add; with a "-" before it a tag goes.') ?? '';
    const tags = wordList(text);
    if (tags.length) void model.tag(tags);
  };
  if (count === 0 && words.length === 0) return null;
  const runs = counted(count, 'run');
  const stop = () =>
    ask(
      `Stop ${runs}?`,
      'Their workers end. What they wrote, checkpoints included, stays.',
      `Stop ${number(count)}`,
      model.stop,
    );
  const remove = () =>
    ask(
      `Delete ${runs}?`,
      'Their records and result files go, for good. Models that were saved of them stay.',
      `Delete ${number(count)}`,
      model.remove,
    );
  const button = (text: string, act: () => void, danger = false) => (
    <button
      type="button"
      class={danger ? 'btn danger' : 'btn'}
      disabled={model.busy.value}
      onClick={act}
    >
      {text}
    </button>
  );
  return (
    <div class="bar bulk" role="status">
      {count > 0 && <b>{number(count)} chosen</b>}
      {count > 1 &&
        button('Compare', () => go(`/compare?runs=${[...model.chosen.value].join(',')}`))}
      {count > 0 && button('Tag', tag)}
      {count > 0 && button('Stop', stop, true)}
      {count > 0 && button('Delete', remove, true)}
      {words.map((text, i) => (
        <span class={text.endsWith('done.') && i === 0 ? '' : 'err'} key={text}>
          {text}
        </span>
      ))}
    </div>
  );
}

function Empty({model}: {model: Runs}) {
  if (model.filter.value || !model.mine.value) {
    return (
      <>
        No run answers to this.{' '}
        <button type="button" class="btn" onClick={clearParams}>
          Clear the filter
        </button>
      </>
    );
  }
  return (
    <>
      <p>Nothing of yours has run yet. Start with an experiment, or in a shell:</p>
      <p class="cmd">bsub -app edtPyTorch -n 1,4 python train.py</p>
      <p>
        <a class="btn pri" href="/new/experiment">
          New experiment
        </a>
      </p>
    </>
  );
}

function List({model}: {model: Runs}) {
  const more = model.columns.value;
  const columns = useMemo(() => columnsOf(model, more), [model, more.join()]);
  if (model.rows.value === null) {
    return model.failure.value ? null : <div class="ghost" aria-hidden="true" />;
  }
  return (
    <Table
      label="Runs"
      kind="list runs"
      columns={columns}
      source={memory(model.shown.value)}
      rowKey={(run) => run.id}
      sort={model.sort.value}
      onSort={(sort) => setParam('sort', sort)}
      heights={[56, 220]}
      empty={<Empty model={model} />}
    />
  );
}

/** Asks when what is asked for changes, and when jobs do. */
function useRuns(model: Runs) {
  useEffect(() => {
    void model.views.load();
    const again = paced(() => void model.refresh(), FILTER_MS);
    const ends = [
      effect(() => {
        void model.asked.value;
        again();
      }),
      onChange(paced(() => model.next.peek() === '' && void model.refresh(), 3000)),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, []);
}

export default function RunsPage() {
  const model = useOnce(() => new Runs());
  const asking = useOnce(() => new Asking());
  useRuns(model);
  const here = model.rows.value?.length ?? 0;
  return (
    <Page title="Runs" sub="All that has run: found by words, compared, kept in order.">
      {model.failure.value && (
        <p class="note err" role="alert">
          {clean(model.failure.value.message, 400)}{' '}
          <button type="button" class="btn" onClick={() => void model.refresh()}>
            Try again
          </button>
        </p>
      )}
      <section class="panel" aria-label="Runs">
        <Bar model={model} asking={asking} />
        <Bulk model={model} asking={asking} />
        <div class="scroll">
          <List model={model} />
        </div>
        <div class="fine">
          <span>
            {number(here)} of {String(model.count.value)}{' '}
            {model.next.value && (
              <button
                type="button"
                class="btn"
                disabled={model.busy.value}
                onClick={() => void model.more()}
              >
                More
              </button>
            )}
            {model.next.value && model.sort.value && ' Ordered are those that are here.'}
          </span>
          <span>in a shell: bhist -a, dlicmd --exec-get-all</span>
        </div>
      </section>
      <ViewDialog views={model.views} />
      <Questions asking={asking} />
    </Page>
  );
}
