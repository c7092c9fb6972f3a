// Role: the Versions and callers tab: which version answers and which were before, a canary, who
// may call.

import type {Service} from '../../api/shapes_more.ts';
import {Outside, Pairs, Panel} from '../../parts/basic.tsx';
import {Field, Foot, FormBox} from '../../parts/form.tsx';
import type {Traffic} from './traffic.ts';

function Versions({f}: {f: Service}) {
  const earlier = [...f.earlier].reverse();
  return (
    <Panel title="Versions" id="h-v">
      <div class="pb">
        <Pairs
          list={[
            ['Answers now', <Outside key="v" text={f.version} />],
            ...earlier.map(
              (version, i) =>
                [
                  i === 0 ? 'Before' : `Before ${i + 1}`,
                  <Outside key="e" text={version} />,
                ] as const,
            ),
          ]}
        />
        <p class="m s gap2">
          {earlier.length === 0
            ? 'There was none before: dlim model deploy brings another.'
            : f.state === 'Started'
              ? 'Stopped, it can be rolled back to the one before.'
              : 'Roll back, above, makes the one before answer again.'}
        </p>
      </div>
    </Panel>
  );
}

export function TrafficTab({f, traffic}: {f: Service; traffic: Traffic}) {
  const {callers, canary} = traffic;
  return (
    <>
      <Versions f={f} />
      <FormBox form={canary} label="Canary" onSubmit={() => void traffic.tryOut()}>
        <h2>Try another with a part of the requests</h2>
        <div class="two">
          <Field form={canary} name="service" label="Service" note="Started, of the same inputs." />
          <Field
            form={canary}
            name="percent"
            label="Percent of the requests"
            input={{inputMode: 'numeric'}}
          />
        </div>
        <Foot form={canary} verb="Send it there">
          {f.canary && (
            <button type="button" class="btn" onClick={() => void traffic.tryOut('0')}>
              End it
            </button>
          )}
        </Foot>
      </FormBox>
      <FormBox form={callers} label="Callers" onSubmit={() => void traffic.saveCallers()}>
        <h2>Who may call it</h2>
        <Field
          form={callers}
          name="callers"
          label="Users, @groups, or * for everybody"
          note="You may always. They find it under Services."
        />
        <Foot form={callers} verb="Let these call" />
      </FormBox>
    </>
  );
}
