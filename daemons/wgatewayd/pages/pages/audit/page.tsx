// Role: the record of acts, for administrators: what they did, who logged on and who was refused.

import {useSignal} from '@preact/signals';
import {get, part} from '../../api/client.ts';
import type {Act, Audit} from '../../api/shapes.ts';
import {stamp} from '../../base/time.ts';
import {Outside, Segment} from '../../parts/basic.tsx';
import {Loaded, Page, Stale} from '../../parts/page.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {param} from '../../state/address.ts';
import {useAsked, useOnce} from '../../state/asked.ts';

const KINDS = [
  ['', 'Everything'],
  ['hist', 'Administration'],
  ['doorhist', 'Log-ons and keys'],
] as const;

const COLUMNS: readonly Column<Act>[] = [
  {key: 'time', text: 'Time', width: 'max-content', cell: (a) => stamp(a.time)},
  {key: 'by', text: 'By', cell: (a) => <Outside text={a.by} most={40} />},
  {key: 'act', text: 'Act', cell: (a) => <Outside text={a.act} most={40} />},
  {key: 'about', text: 'About', width: '2fr', cell: (a) => <Outside text={a.objects.join(', ')} />},
  {key: 'why', text: 'Why', cell: (a) => <Outside text={a.why} />},
  {key: 'refused', text: 'Refused', cell: (a) => <Outside text={a.refused} />},
];

function Told({audit}: {audit: Audit}) {
  if (audit.broken) {
    return <span class="err">The record is not as it was written: {audit.broken}.</span>;
  }
  return (
    <>
      {audit.checked} acts, as they were written. The newest 500 are shown; in a shell: badmin hist,
      doorhist, audit.
    </>
  );
}

export default function AuditPage() {
  const kind = useSignal('');
  const user = useSignal(param('about'));
  const path = useOnce(() => () => `/api/v1/audit?kind=${kind.value}&user=${part(user.value)}`);
  const acts = useAsked(() => get<Audit>(path()));
  const again = () => void acts.refresh();
  return (
    <Loaded of={acts} title="Record of acts">
      {(audit) => (
        <Page title="Record of acts" sub={<Told audit={audit} />} still>
          <Stale of={acts} />
          <section class="panel scroll" aria-label="Acts">
            <div class="ph">
              <Segment
                label="Kind"
                value={kind.value}
                options={KINDS}
                onChoose={(chosen) => {
                  kind.value = chosen;
                  again();
                }}
              />
              <span class="sp" />
              <label class="s">
                About{' '}
                <input
                  name="about"
                  placeholder="user, job, host, queue"
                  type="search"
                  value={user.value}
                  onChange={(event) => {
                    user.value = event.currentTarget.value.trim();
                    again();
                  }}
                />
              </label>
            </div>
            <Table
              label="Acts"
              columns={COLUMNS}
              source={memory(audit.acts)}
              rowKey={(a) => String(a.number)}
              heights={[40, 150]}
              empty="There is none."
            />
          </section>
        </Page>
      )}
    </Loaded>
  );
}
