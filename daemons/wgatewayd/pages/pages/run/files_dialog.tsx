// Role: the list of what a run has left on disk, the largest files first.

import type {RunFiles} from '../../api/shapes_logs.ts';
import {bytes, counted} from '../../base/number.ts';
import {clock} from '../../base/time.ts';
import {Alert, Outside} from '../../parts/basic.tsx';
import {Dialog} from '../../parts/dialog.tsx';
import {now} from '../../state/clock.ts';
import type {Files} from './files.ts';

const MOST = 100;

function List({found}: {found: RunFiles}) {
  const left = found.count - Math.min(found.files.length, MOST);
  return (
    <>
      <p>
        {counted(found.count, 'file')}
        {!found.complete && ' or more'}, {bytes(found.bytes)} in all.
      </p>
      <ul class="explained">
        {found.files.slice(0, MOST).map((file) => (
          <li key={file.path}>
            <Outside text={file.path} most={120} />, {bytes(file.size)}, {file.kind},{' '}
            {clock(file.time, now())}
          </li>
        ))}
        {left > 0 && <li>and {counted(left, 'smaller one')}</li>}
      </ul>
    </>
  );
}

export function FilesDialog({files}: {files: Files}) {
  const found = files.known.value;
  return (
    <Dialog
      id="files"
      title="What it left on disk"
      open={files.shown.value}
      onClose={files.close}
      wide
    >
      <Alert text={files.doing.problem.value} />
      {files.doing.busy.value && <p class="m">Its files are being looked for …</p>}
      {found && <List found={found} />}
    </Dialog>
  );
}
