// Role: the page of one search: how good is the best, is it worth going on. The filter's words and
// the brushes of the axes are the same.

import {useEffect} from 'preact/hooks';
import {runPath} from '../../api/client.ts';
import type {Search} from '../../api/shapes_more.ts';
import {DASH, number} from '../../base/number.ts';
import {state} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {duration, momentOr} from '../../base/time.ts';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Alert, Icon, Mark, Outside, Pairs, Panel, type Tile, Tiles} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {setParam} from '../../state/address.ts';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {now} from '../../state/clock.ts';
import {aim} from '../shared/search.ts';
import {brushWords} from './axes.ts';
import {BestFigure, Parallel} from './figures.tsx';
import {SearchModel, shownState} from './model.ts';
import {LevelsPanel, settingText, Trials} from './trials.tsx';

function tilesOf(s: Search): Tile[] {
  const {best} = s;
  const spent = s.trials.reduce(
    (sum, t) => sum + (t.start_time ? momentOr(t.finish_time, now()) - t.start_time : 0),
    0,
  );
  return [
    {
      label: `Best ${clean(s.search.metric, 30)}`,
      value: best ? number(best.value) : DASH,
      note: best ? (
        <>
          trial <a href={runPath(best.exec_id)}>{best.index}</a>
        </>
      ) : (
        'no trial has a value yet'
      ),
    },
    {label: 'Over', value: number(s.over), note: s.total ? `of ${number(s.total)}` : ''},
    {label: 'Running', value: number(s.running), note: `of ${number(s.parallel)} at a time`},
    {
      label: 'Pruned',
      value: number(s.trials.filter((t) => t.state === 'stopped').length),
      note: 'others did better',
    },
    {label: 'Failed', value: number(s.failed), note: s.failed ? 'see the table' : ''},
    {
      label: 'Time',
      value: duration(momentOr(s.finish_time, now()) - s.submit_time),
      note: `${duration(spent)} of trials`,
    },
  ];
}

function Acts({s, model, asking}: {s: Search; model: SearchModel; asking: Asking}) {
  const over = s.state === 'finished' || s.state === 'failed';
  const stop = () =>
    asking.ask({
      title: (
        <>
          Stop <Outside text={s.name} most={60} />?
        </>
      ),
      said: (
        <p>
          The {s.running} trials that run now end. What the others found is kept, and the search can
          go on later.
        </p>
      ),
      verb: 'Stop it',
      act: () => void model.act('stop'),
    });
  const verb = (text: string, what: string) => (
    <button
      type="button"
      class="btn"
      disabled={model.doing.busy.value}
      onClick={() => void model.act(what)}
    >
      {text}
    </button>
  );
  if (over) return null;
  return (
    <>
      {s.paused && verb('Go on', 'resume')}
      {!s.paused && s.state !== 'stopped' && verb('Pause', 'pause')}
      {s.state !== 'stopped' && (
        <button type="button" class="btn danger" onClick={stop}>
          <Icon name="stop" />
          Stop
        </button>
      )}
    </>
  );
}

function BestPanel({s, model}: {s: Search; model: SearchModel}) {
  const names = model.axes.value.filter((a) => !a.result).map((a) => a.name);
  const {best} = s;
  return (
    <Panel title="Best so far" id="h-b">
      <div class="pb">
        <BestFigure s={s} />
        {best && (
          <Pairs list={names.map((name) => [clean(name, 40), settingText(best.config[name])])} />
        )}
      </div>
    </Panel>
  );
}

function ParallelPanel({s, model}: {s: Search; model: SearchModel}) {
  const words = model.words.value;
  const all = words && (
    <button type="button" class="link s" onClick={() => setParam('q', '')}>
      Show all
    </button>
  );
  return (
    <Panel title="Settings and what they reached" id="h-p" tools={all}>
      <div class="pb">
        <Parallel
          axes={model.axes.value}
          s={s}
          chosen={model.chosen.value}
          onBrush={(axis, low, high) => setParam('q', brushWords(words, axis, low, high))}
        />
        <p class="s m">
          Each line is a trial; the stronger the better. Draw along an axis to keep what lies in it.
        </p>
      </div>
    </Panel>
  );
}

/** What ended it is in the state's word already; what keeps it from going on is said. */
const isWarned = (s: Search) =>
  s.reason && s.state !== 'finished' && (s.state === 'failed' || /cannot|no trial/.test(s.reason));

function Shown({s, model}: {s: Search; model: SearchModel}) {
  const asking = useOnce(() => new Asking());
  const shown = shownState(s.state);
  const pausing = s.paused && s.state === 'running';
  const over = s.total ? `${number(s.over)} of ${number(s.total)}` : number(s.over);
  return (
    <Page
      title={`${clean(model.name, 60)} · ${state(s.state).word}`}
      name={
        <>
          <Outside text={s.name} most={80} />{' '}
          <Mark shown={pausing ? {...shown, word: 'Pausing'} : shown} pill />
        </>
      }
      crumb={
        <>
          <a href="/searches">Searches</a> / {s.job}
        </>
      }
      sub={
        <>
          <Outside text={aim(s)} />, {over} trials over, {s.parallel} at a time
        </>
      }
      acts={<Acts s={s} model={model} asking={asking} />}
    >
      <Stale of={model.known} />
      <Alert text={model.doing.problem.value} />
      {isWarned(s) && (
        <p class="note warn" role="status">
          <Outside text={s.reason} most={400} />
        </p>
      )}
      <Tiles tiles={tilesOf(s)} />
      <div class="two halves">
        <BestPanel s={s} model={model} />
        <ParallelPanel s={s} model={model} />
      </div>
      <LevelsPanel s={s} />
      <Trials s={s} model={model} />
      <Questions asking={asking} />
    </Page>
  );
}

export default function SearchPage({args: [name = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new SearchModel(name));
  useEffect(() => {
    const end = keepAsking(model.known, {onJobs: 1000});
    const timer = setInterval(() => {
      const running = model.known.value.peek()?.running ?? 0;
      if (running > 0 && !document.hidden) void model.known.refresh();
    }, 2000);
    return () => {
      end();
      clearInterval(timer);
    };
  }, []);
  return (
    <Loaded of={model.known} title={name}>
      {(s) => <Shown s={s} model={model} />}
    </Loaded>
  );
}
