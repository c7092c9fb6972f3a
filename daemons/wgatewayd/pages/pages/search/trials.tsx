// Role: every trial of a search, filtered and in order, and the levels at which trials were cut
// short.

import {useMemo} from 'preact/hooks';
import {runPath} from '../../api/client.ts';
import type {Search, Setting, Trial} from '../../api/shapes_more.ts';
import {DASH, number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {duration} from '../../base/time.ts';
import {saveRows} from '../../figures/export.ts';
import {Mark, Outside, Panel} from '../../parts/basic.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {setParam} from '../../state/address.ts';
import {now} from '../../state/clock.ts';
import {type Level, levelsOf} from './levels.ts';
import {
  inOrder,
  type SearchModel,
  shownState,
  sortOf,
  type TrialColumn,
  trialColumns,
} from './model.ts';

/** A setting as text. */
export const settingText = (value: Setting | undefined) => {
  if (value === undefined || value === null) return DASH;
  return typeof value === 'number' ? number(value) : clean(value, 40);
};

function cellOf(s: Search, column: TrialColumn, trial: Trial) {
  const value = column.value(trial);
  if (column.key === 'index') return <a href={runPath(trial.exec_id)}>{trial.index}</a>;
  if (column.key === 'state') return <Mark shown={shownState(trial.state)} />;
  if (column.key === 'time') return duration(typeof value === 'number' ? value : null);
  if (column.key === 'why') return <Outside text={value ?? ''} most={120} />;
  const text = settingText(value);
  return column.key === 'value' && s.best?.index === trial.index ? <b>{text}</b> : text;
}

function tableColumn(s: Search, column: TrialColumn, trials: readonly Trial[]): Column<Trial> {
  const words = column.key === 'state' || column.key === 'why';
  return {
    key: column.key,
    text: clean(column.text, 24),
    sort: column.key,
    numeric: !words && trials.some((t) => typeof column.value(t) === 'number'),
    cell: (trial) => cellOf(s, column, trial),
  };
}

export function Trials({s, model}: {s: Search; model: SearchModel}) {
  const chosen = model.chosen.value;
  const sort = sortOf(s, model.sort.value);
  const columns = useMemo(() => trialColumns(s, now()), [s]);
  const rows = useMemo(() => inOrder(chosen, columns, sort), [chosen, columns, sort]);
  const save = () =>
    saveRows(s.name, [
      columns.map((c) => c.text),
      ...rows.map((t) => columns.map((c) => c.value(t) ?? '')),
    ]);
  const none = s.trials.length
    ? 'No trial matches.'
    : 'No trial yet: the first is expected within seconds.';
  return (
    <section class="panel" aria-labelledby="h-t">
      <div class="bar">
        <h2 id="h-t">Trials</h2>
        <input
          type="search"
          aria-label="Filter trials"
          placeholder={`Filter: ${clean(s.search.metric, 20)}<0.1 state:failed`}
          value={model.words.value}
          onInput={(event) => setParam('q', event.currentTarget.value)}
        />
        <span class="s m" role="status">
          {rows.length} of {s.trials.length}
        </span>
        <span class="sp" />
        <button type="button" class="link s" onClick={save}>
          CSV
        </button>
      </div>
      <div class="scroll">
        <Table
          label="Trials"
          columns={columns.map((c) => tableColumn(s, c, s.trials))}
          source={memory(rows)}
          rowKey={(t) => String(t.index)}
          sort={sort}
          onSort={(next) => setParam('sort', next)}
          heights={[40, 220]}
          empty={none}
        />
      </div>
      <div class="fine">
        <span>{s.trials.length} trials</span>
        <span>the same in a shell: bsearch {s.job}</span>
      </div>
    </section>
  );
}

export function LevelsPanel({s}: {s: Search}) {
  const levels = useMemo(() => levelsOf(s), [s]);
  if (!levels.list.length) return null;
  const most = levels.list.reduce((a, b) => Math.max(a, b.trials), 1);
  const count = (key: string, text: string, of: (l: Level) => number | null): Column<Level> => ({
    key,
    text,
    numeric: true,
    cell: (l) => number(of(l)),
  });
  const columns: Column<Level>[] = [
    count('at', levels.unit, (l) => l.at),
    count('trials', 'Got there', (l) => l.trials),
    {
      key: 'bar',
      text: '',
      width: '1fr',
      cell: (l) => (
        <div class="planbar" role="img" aria-label={`${l.trials} trials`}>
          <i style={{width: `${(100 * l.trials) / most}%`}} />
        </div>
      ),
    },
    count('running', 'Running', (l) => l.running),
    count('left', 'Went no further', (l) => l.left),
    count('best', `Best ${clean(s.search.metric, 20)}`, (l) => l.best),
  ];
  return (
    <Panel title="Levels" id="h-r" class="scroll" tools={<span class="s m">{levels.note}</span>}>
      <Table
        label="Levels"
        columns={columns}
        source={memory(levels.list)}
        rowKey={(l) => String(l.at)}
      />
    </Panel>
  );
}
