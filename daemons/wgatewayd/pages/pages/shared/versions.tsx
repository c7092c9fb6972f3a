// Role: the dialog with the versions of a definition, an experiment or a model.

import type {Version} from '../../api/shapes_more.ts';
import {clean} from '../../base/text.ts';
import {clock} from '../../base/time.ts';
import {Alert, Outside} from '../../parts/basic.tsx';
import {Dialog} from '../../parts/dialog.tsx';
import {type Column, memory, Table} from '../../parts/table.tsx';
import {now} from '../../state/clock.ts';
import {aboutVersion, type Kind, standing, type Versions} from './versions_model.ts';

const columnsOf = (versions: Versions, kind: Kind): readonly Column<Version>[] => [
  {
    key: 'version',
    text: 'Version',
    width: 'minmax(70px,1fr)',
    cell: (v) => <Outside text={v.version} most={40} />,
  },
  {key: 'state', text: '', width: '84px', cell: (v) => standing(v)},
  {
    key: 'made',
    text: 'Made',
    width: 'minmax(110px,1fr)',
    cell: (v) => (
      <>
        {clock(v.made, now())} <Outside text={v.made_by} most={30} />
      </>
    ),
  },
  {
    key: 'what',
    text: 'What it is',
    width: 'minmax(110px,2fr)',
    cell: (v) => <Outside text={aboutVersion(kind, v)} most={160} />,
  },
  {
    key: 'acts',
    text: '',
    width: '96px',
    cell: (v) => (
      <span class="inline">
        {versions.codeOf(v) && (
          <a class="s" href={versions.codeOf(v)} download={v.code_name || 'code'}>
            Code
          </a>
        )}
        {v.state !== 'present' && (
          <button
            type="button"
            class="link s"
            aria-label={`Delete version ${clean(v.version, 40)}`}
            onClick={() => {
              versions.removing.value = v.version;
            }}
          >
            Delete
          </button>
        )}
      </span>
    ),
  },
];

/** Opens it. */
export const VersionsButton = ({of, versions}: {of: string; versions: () => void}) => (
  <button
    type="button"
    class="link s"
    aria-label={`Versions of ${clean(of, 80)}`}
    onClick={versions}
  >
    Versions
  </button>
);

/** Before one is lost, in the dialog that is open: a second one would hide it. */
function Removing({versions}: {versions: Versions}) {
  const version = versions.removing.value;
  if (!version) return null;
  return (
    <p class="note warn" role="alert">
      Version <Outside text={version} most={40} /> goes for good, with the code or files that it
      alone holds.{' '}
      <button
        type="button"
        class="btn danger"
        data-do="delete-version"
        onClick={() => void versions.remove(version)}
      >
        Delete it
      </button>{' '}
      <button
        type="button"
        class="btn"
        onClick={() => {
          versions.removing.value = '';
        }}
      >
        Keep it
      </button>
    </p>
  );
}

export function VersionsDialog({versions}: {versions: Versions}) {
  const named = versions.of.value;
  const list = versions.list.value;
  const earlier = (list ?? []).some((v) => v.state === 'earlier');
  return (
    <Dialog
      id="versions"
      title={
        <>
          Versions of <Outside text={named?.name ?? ''} most={60} />
        </>
      }
      open={named !== null}
      onClose={versions.close}
      wide
    >
      {named && (
        <>
          <Alert text={versions.doing.problem.value} />
          {list && (
            <Table
              label="Versions"
              columns={columnsOf(versions, named.kind)}
              source={memory(list)}
              rowKey={(v) => v.version}
              heights={[40, 150]}
              empty="There is none."
            />
          )}
          <Removing versions={versions} />
          <p class="s">What ran keeps the version that it ran with. A new one comes by saving.</p>
          <div class="foot2">
            <button
              type="button"
              class="btn"
              data-do="go-back"
              disabled={!earlier || versions.doing.busy.value}
              onClick={() => void versions.goBack()}
            >
              Go back to the one before
            </button>
            <button type="button" class="btn pri" onClick={versions.close}>
              Close
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
