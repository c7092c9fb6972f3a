// Role: the clients to take along, and how to begin with each.

import type {ComponentChildren} from 'preact';
import {Panel} from '../../parts/basic.tsx';
import {Page} from '../../parts/page.tsx';
import {GuidesPanel} from './guides_panel.tsx';
import {me} from '../../state/session.ts';

interface ToolProps {
  readonly id: string;
  readonly title: string;
  readonly said: ComponentChildren;
  readonly file?: string;
  readonly example: readonly string[];
}
const Tool = ({id, title, said, file, example}: ToolProps) => (
  <Panel title={title} id={id}>
    <div class="pb">
      <p class="say">{said}</p>
      {file && (
        <p>
          <a class="btn" href={`/ui/tools/${file}`} download={file}>
            Download {file}
          </a>
        </p>
      )}
      <pre class="cmd">{example.join('\n')}</pre>
    </div>
  </Panel>
);

const REST = '/platform/rest/deeplearning/v1/execs';

const OnHost = () => (
  <Tool
    id="h-b"
    title="On a host of the cluster"
    said="An execution is a job: its number is the end of its id."
    example={[
      'bjobs -l 12      # how it stands, and why',
      'bwhy 12          # what keeps it waiting',
      'bkill 12         # stops it',
    ]}
  />
);

export default function HelpPage() {
  const {origin} = location;
  const user = me.value;
  const sub =
    'Everything here can be done from a shell, too, on any machine that reaches this address.';
  return (
    <Page title="Help" name="Help and downloads" sub={sub} still>
      <GuidesPanel />
      <Tool
        id="h-d"
        title="dlicmd"
        said="One Python file without requirements; its words are those of WMLA’s dlicmd."
        file="dlicmd.py"
        example={[
          `export WM_GATEWAY_URL=${origin}`,
          `curl -O ${origin}/ui/tools/dlicmd.py`,
          `python3 dlicmd.py --logon --username ${user} --password YOUR-KEY`,
          'python3 dlicmd.py --exec-start edtPyTorch --numWorker 4 --model-main train.py ' +
            '--model-dir code -- --epochs 20',
          'python3 dlicmd.py --exec-get-all',
        ]}
      />
      <Tool
        id="h-m"
        title="dlim"
        said="Inference services: one Python file as well."
        file="dlim.py"
        example={[
          `curl -O ${origin}/ui/tools/dlim.py`,
          `python3 dlim.py config -c ${origin}`,
          `python3 dlim.py config -t -u ${user} -k YOUR-KEY`,
          'python3 dlim.py model deploy -p FOLDER',
          'python3 dlim.py model start NAME',
        ]}
      />
      <Tool
        id="h-c"
        title="curl"
        said="The REST interface takes Basic credentials, or the token of a log-on."
        example={[
          `curl -u ${user} ${origin}/auth/v1/logon`,
          'curl -H "X-Auth-Token: $TOKEN" -F file=@code.zip \\',
          `  '${origin}${REST}?args=--exec-start%20PyTorch%20--model-main%20train.py'`,
          `curl -H "X-Auth-Token: $TOKEN" ${origin}${REST}`,
        ]}
      />
      <OnHost />
    </Page>
  );
}
