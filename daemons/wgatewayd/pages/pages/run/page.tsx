// Role: the page of one job: does it learn, is it healthy, why has it this size. Curves, workers
// and reasons on one axis of time; why it waits; what each worker writes.

import {useEffect} from 'preact/hooks';
import {part} from '../../api/client.ts';
import type {JobFull} from '../../api/shapes.ts';
import {DASH, number} from '../../base/number.ts';
import {isOver, slotRange, state} from '../../base/states.ts';
import {clean} from '../../base/text.ts';
import {clock, duration} from '../../base/time.ts';
import {Alert, Icon, Outside, StateMark, type Tile, Tiles} from '../../parts/basic.tsx';
import {Asking, Questions} from '../../parts/asking.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {SaveDialog, Saving} from '../../parts/save_model.tsx';
import {keepAsking, useOnce} from '../../state/asked.ts';
import {now, second} from '../../state/clock.ts';
import {session} from '../../state/session.ts';
import {ActDialog} from '../shared/act_dialog.tsx';
import {actsFor} from '../shared/acts.ts';
import '../shared/together.ts';
import {Logs} from './logs.tsx';
import {KeptPanel} from './kept_panel.tsx';
import {bestOf, type Facts, Run} from './model.ts';
import {AgainDialog} from './again_dialog.tsx';
import {FilesDialog} from './files_dialog.tsx';
import {Request, Why} from './side.tsx';
import {Training} from './training.tsx';
import {leftOf} from './use.ts';
import {WorkersNow} from './workers.tsx';

function lastStep(known: Facts): number | null {
  let last: number | null = null;
  for (const {points} of known.series) {
    for (const [at] of points) if (at > (last ?? -Infinity)) last = at;
  }
  return last;
}

function bestTile(known: Facts): Tile {
  const best = bestOf(known.series);
  const none = known.facts.own ? 'nothing reported' : 'not visible to you';
  return {
    label: best?.name === 'loss' ? 'Loss' : 'Accuracy',
    value: number(best?.value),
    note: best ? `${best.group === 'test' ? 'validation' : 'train'}, best` : none,
  };
}

function timeNote(job: JobFull): string {
  const left = leftOf(job, second.value);
  if (left !== null) return `${duration(left)} left, at this rate`;
  return job.start_time ? `waited ${duration(job.pend_time_s)}` : 'not started';
}

function tilesOf(known: Facts): Tile[] {
  const {job, own} = known.facts;
  const has = job.nalloc_slot ?? 0;
  const over = isOver(job.wm_state);
  const end = over ? job.finish_time : second.value;
  const resized = `resized ${number(job.nresize)} ${job.nresize === 1 ? 'time' : 'times'}`;
  const hidden = own ? '' : 'not visible to you';
  return [
    {
      label: 'Slots',
      value: over ? DASH : number(has),
      unit: over ? '' : slotRange(has, job.min_req_proc ?? has, job.max_req_proc ?? has),
      note: job.elastic ? resized : 'fixed',
    },
    {
      label: 'Step',
      value: number(job.step ?? lastStep(known)),
      note:
        hidden ||
        (job.complete_percent ? `${number(job.complete_percent)} % done` : 'of the whole job'),
    },
    bestTile(known),
    {
      label: 'Throughput',
      value: number(job.samples_per_s),
      unit: job.samples_per_s ? 'samples/s' : '',
      note: hidden || (over ? 'when it was heard last' : 'now'),
    },
    {
      label: 'GPUs',
      value: over ? DASH : number((job.gpu_num ?? 0) * has),
      note: job.gpu_num ? `${number(job.gpu_num)} for each worker` : 'runs on CPUs',
    },
    {
      label: 'Time',
      value: duration(job.start_time && end ? end - job.start_time : null),
      note: timeNote(job),
    },
  ];
}

/** What its state allows besides, to its owner and to administrators. */
function MoreActs({model, job}: {model: Run; job: JobFull}) {
  if (actsFor([job.wm_state]).length === 0) return null;
  return (
    <button type="button" class="btn" data-do="acts" onClick={() => model.acting.open([job])}>
      More acts
    </button>
  );
}

function Acts({
  known,
  model,
  asking,
  saving,
}: {
  known: Facts;
  model: Run;
  asking: Asking;
  saving: Saving;
}) {
  const {job, own, exec_id} = known.facts;
  const over = isOver(job.wm_state);
  const name = job.job_name || job.jobid;
  if (!own) return session.value?.admin ? <MoreActs model={model} job={job} /> : null;
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
  const stop = () =>
    asking.ask({
      title: (
        <>
          Stop <Outside text={name} most={60} />?
        </>
      ),
      said: <p>Its workers end. What they wrote, checkpoints included, stays.</p>,
      verb: 'Stop it',
      act: () => void model.act('stop'),
    });
  return (
    <>
      {over && (
        <a class="btn" href={`${model.path}/result.zip`} download>
          Results .zip
        </a>
      )}
      <button type="button" class="btn" data-do="files" onClick={() => void model.files.open()}>
        Files
      </button>
      {job.wm_state === 'finished' && (
        <button type="button" class="btn" id="save" onClick={() => void saving.open(exec_id, name)}>
          Save model
        </button>
      )}
      {known.facts.exec && (
        <button
          type="button"
          class="btn"
          data-do="again-open"
          onClick={() => void model.again.open(known.facts.exec?.args ?? '')}
        >
          Run again
        </button>
      )}
      {known.facts.exec && (
        <a class="btn" href={`/new/experiment?from=${part(job.jobid)}`}>
          Clone and edit
        </a>
      )}
      {known.facts.exec && (
        <a class="btn" href={`/new/search?from=${part(job.jobid)}`}>
          Search its settings
        </a>
      )}
      {job.wm_state === 'held' && verb('Release', 'release')}
      {job.wm_state === 'pending' && verb('Hold', 'hold')}
      <MoreActs model={model} job={job} />
      {!over && (
        <button type="button" class="btn danger" onClick={stop}>
          <Icon name="stop" />
          Stop
        </button>
      )}
    </>
  );
}

function about(known: Facts) {
  const {job, exec} = known.facts;
  const kind = job.elastic
    ? 'Elastic training'
    : job.app_type === 'training'
      ? 'Training'
      : job.app_type;
  const when = job.start_time
    ? `Started ${clock(job.start_time, now())}`
    : `Submitted ${clock(job.submit_time, now())}`;
  return (
    <>
      {clean([kind, exec?.framework].filter(Boolean).join(', '))}.{' '}
      <Outside text={job.user} most={40} />, plan <Outside text={job.plan} most={60} />. {when}.
    </>
  );
}

function Shown({known, model}: {known: Facts; model: Run}) {
  const asking = useOnce(() => new Asking());
  const saving = useOnce(() => new Saving());
  const {job} = known.facts;
  const name = job.job_name || job.jobid;
  return (
    <Page
      title={`${clean(name, 60)} · ${state(job.wm_state).word}`}
      name={
        <>
          <Outside text={name} /> <StateMark word={job.wm_state} pill />
        </>
      }
      crumb={
        <>
          <a href="/apps">Applications</a> / {job.jobid}
        </>
      }
      sub={about(known)}
      acts={<Acts known={known} model={model} asking={asking} saving={saving} />}
    >
      <Stale of={model.known} />
      <Alert text={model.doing.problem.value || saving.trouble.value} />
      <Tiles tiles={tilesOf(known)} />
      <div class="cols">
        <div>
          <Training known={known} model={model} />
        </div>
        <div>
          <Why job={job} />
          <KeptPanel kept={model.kept} />
          <Request known={known} />
        </div>
      </div>
      <WorkersNow job={job} model={model} />
      <Logs known={known} model={model} />
      <Questions asking={asking} />
      <SaveDialog saving={saving} />
      <ActDialog acting={model.acting} />
      <AgainDialog again={model.again} job={job.jobid} />
      <FilesDialog files={model.files} />
    </Page>
  );
}

export default function RunPage({args: [id = '']}: {args: readonly string[]}) {
  const model = useOnce(() => new Run(id));
  useEffect(() => {
    const again = {
      refresh: async () => {
        await model.known.refresh();
        await Promise.all([model.readOutput(), model.readUse()]);
      },
    };
    void model.kept.load();
    const ends = [keepAsking(again, {onJobs: 1000})];
    const timer = setInterval(
      () => model.goesOn() && !document.hidden && void again.refresh(),
      3000,
    );
    return () => {
      clearInterval(timer);
      for (const end of ends) end();
    };
  }, []);
  return (
    <Loaded of={model.known} title={id}>
      {(known) => <Shown known={known} model={model} />}
    </Loaded>
  );
}
