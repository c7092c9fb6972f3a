// Role: the dialog in which a run is begun once more: from where, and with which words.

import type {Checkpoint} from '../../api/shapes_logs.ts';
import {bytes} from '../../base/number.ts';
import {clock} from '../../base/time.ts';
import {Outside, Segment} from '../../parts/basic.tsx';
import {Dialog} from '../../parts/dialog.tsx';
import {Area, Foot, FormBox} from '../../parts/form.tsx';
import {now} from '../../state/clock.ts';
import type {Again, From} from './again.ts';

const MOST = 12;

const Saved = ({list}: {list: readonly Checkpoint[]}) => (
  <ul class="explained">
    {list.slice(0, MOST).map((one) => (
      <li key={one.name}>
        <Outside text={one.name} most={80} />, {bytes(one.size)}, {clock(one.time, now())}
        {one.newest && <b> – it goes on from this one</b>}
      </li>
    ))}
    {list.length > MOST && <li>and {list.length - MOST} older</li>}
  </ul>
);

function Where({again}: {again: Again}) {
  const known = again.known.value;
  const none = known !== null && known.checkpoints.length === 0;
  return (
    <div class="field">
      <span>From</span>
      <Segment<From>
        label="From"
        name="from"
        value={again.form.value.value.from === 'checkpoint' ? 'checkpoint' : 'start'}
        options={[
          ['checkpoint', 'Its newest checkpoint', known === null || none],
          ['start', 'The start'],
        ]}
        onChoose={(from) => again.form.set('from', from)}
      />
      {known === null && <small>Its checkpoints are being looked for …</small>}
      {none && <small>It left no checkpoint in RESULT_DIR/checkpoint.</small>}
      {known && !none && <Saved list={known.checkpoints} />}
      {known && !none && !known.resumable && (
        <small>
          These are its script’s own: the new run finds their folder’s parent in $WM_RESUME_FROM.
        </small>
      )}
    </div>
  );
}

export function AgainDialog({again, job}: {again: Again; job: string}) {
  const {form} = again;
  return (
    <Dialog
      id="again"
      title={`Run ${job} again`}
      open={again.shown.value}
      onClose={again.close}
      wide
    >
      <FormBox form={form} class="plain" label="Run again" onSubmit={() => void again.submit()}>
        <p>A new run with the same code and data. This one stays as it is.</p>
        <Where again={again} />
        <Area
          form={form}
          name="args"
          label="Its words"
          note="Those after -- are the script’s. Change what is to be another."
          area={{rows: 4, spellcheck: false}}
        />
        <Foot
          form={form}
          verb={form.value.value.from === 'checkpoint' ? 'Resume' : 'Run'}
          button={{'data-do': 'again'}}
          onCancel={again.close}
        />
      </FormBox>
    </Dialog>
  );
}
