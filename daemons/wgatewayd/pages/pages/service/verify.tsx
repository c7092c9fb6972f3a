// Role: the Test tab: a drawn sample, an uploaded picture or JSON; the answer with its time; the
// same from a shell.

import {useRef} from 'preact/hooks';
import {number} from '../../base/number.ts';
import {clean} from '../../base/text.ts';
import {saveAs} from '../../figures/export.ts';
import {Outside, Panel} from '../../parts/basic.tsx';
import {ranking} from './sample.ts';
import type {Mode, VerifyModel} from './verify_model.ts';

const SIDE = 280;

/** Draws from the last place to the pointer's, while it is pressed. */
function pen(event: PointerEvent, last: {current: [number, number] | null}) {
  const pad = event.currentTarget;
  if (!(event.buttons & 1) || !(pad instanceof HTMLCanvasElement)) return;
  const box = pad.getBoundingClientRect();
  const scale = SIDE / box.width;
  const here: [number, number] = [
    (event.clientX - box.left) * scale,
    (event.clientY - box.top) * scale,
  ];
  const context = pad.getContext('2d');
  if (!context) return;
  context.lineWidth = SIDE / 10;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.strokeStyle = '#ffffff';
  context.beginPath();
  context.moveTo(...(event.type === 'pointerdown' || !last.current ? here : last.current));
  context.lineTo(here[0] + 0.01, here[1]);
  context.stroke();
  last.current = here;
}

function Drawing({model}: {model: VerifyModel}) {
  const pad = useRef<HTMLCanvasElement>(null);
  const last = useRef<[number, number] | null>(null);
  const clear = () => {
    pad.current?.getContext('2d')?.clearRect(0, 0, SIDE, SIDE);
    model.answer.value = null;
  };
  return (
    <div class="padbox">
      <canvas
        id="pad"
        ref={pad}
        width={SIDE}
        height={SIDE}
        role="img"
        aria-label="Draw a sample here with the pointer"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          pen(event, last);
        }}
        onPointerMove={(event) => pen(event, last)}
      />
      <div class="foot2 start">
        <button
          type="button"
          class="btn pri"
          id="send-drawn"
          disabled={model.doing.busy.value}
          onClick={() => void model.sendDrawn(pad.current)}
        >
          Ask
        </button>
        <button type="button" class="btn" onClick={clear}>
          Clear
        </button>
      </div>
    </div>
  );
}

const Uploading = ({model}: {model: VerifyModel}) => (
  <label class="field">
    <span>A picture</span>
    <input
      type="file"
      name="sample"
      accept="image/*"
      onChange={(event) => void model.upload(event.currentTarget.files?.[0])}
    />
    <small>It becomes {model.shape?.join(' × ')} values from 0 to 1, bright on dark.</small>
  </label>
);

const Json = ({model}: {model: VerifyModel}) => (
  <div>
    <label class="field">
      <span>The request’s body</span>
      <textarea
        name="body"
        rows={6}
        class="mono"
        value={model.body.value}
        onInput={(event) => {
          model.body.value = event.currentTarget.value;
        }}
      />
    </label>
    <div class="foot2 start">
      <button
        type="button"
        class="btn pri"
        id="send-json"
        disabled={model.doing.busy.value}
        onClick={() => void model.send(model.body.value)}
      >
        Ask
      </button>
    </div>
  </div>
);

function Told({model}: {model: VerifyModel}) {
  const answer = model.answer.value;
  if (model.doing.problem.value) {
    return (
      <p class="err" role="alert">
        {model.doing.problem.value}
      </p>
    );
  }
  if (!answer) {
    const words = model.doing.busy.value ? 'Asked, waiting …' : 'The answer will be here.';
    return <p class="m">{words}</p>;
  }
  const ranked = ranking(answer.value);
  return (
    <div role="status" data-asked={model.asked.value}>
      {ranked && (
        <p class="verdict" id="verdict">
          <Outside text={ranked[0]?.[0]} most={40} />
        </p>
      )}
      {ranked?.slice(0, 5).map(([label, p]) => (
        <div class="prob" key={label}>
          <span>
            <Outside text={label} most={20} />
          </span>
          <i style={{'--w': `${Math.round(p * 100)}%`}} />
          <span class="num">{(p * 100).toFixed(1)} %</span>
        </div>
      ))}
      <p class="s m">answered in {number(Math.round(answer.ms))} ms, as this browser sees it</p>
      <details open={!ranked}>
        <summary>The answer as it came</summary>
        <pre class="cmd" id="answer">
          {clean(answer.said, 4000)}
        </pre>
      </details>
    </div>
  );
}

function Shell({model, uri}: {model: VerifyModel; uri: string}) {
  const body = model.body.value;
  const brief = body.length <= 60 && !body.includes("'");
  const from = brief ? `'${clean(body)}'` : '@sample.json';
  const save = () => saveAs('sample.json', new Blob([body], {type: 'application/json'}));
  return (
    <div class="pb">
      <p class="s m">
        The same from a shell
        {!brief && ', with '}
        {!brief && (
          <button type="button" class="link s" id="save-sample" onClick={save}>
            sample.json
          </button>
        )}
      </p>
      <pre class="cmd">{`curl -H "Authorization: Bearer $(dlim config -s)" -d ${from} ${uri}`}</pre>
    </div>
  );
}

const MODES: readonly (readonly [Mode, string])[] = [
  ['draw', 'Draw'],
  ['upload', 'Upload'],
  ['json', 'JSON'],
];

export function VerifyTab({model, uri}: {model: VerifyModel; uri: string}) {
  const mode = model.mode.value;
  const ways = (
    <fieldset class="seg" aria-label="How to ask">
      {MODES.filter(([key]) => model.shape || key === 'json').map(([key, text]) => (
        <button
          key={key}
          type="button"
          data-mode={key}
          aria-pressed={mode === key ? 'true' : 'false'}
          onClick={() => {
            model.mode.value = key;
          }}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
  return (
    <Panel title="Test" id="h-v" tools={ways}>
      <div class="pb verify">
        <div>
          {mode === 'draw' && <Drawing model={model} />}
          {mode === 'upload' && <Uploading model={model} />}
          {mode === 'json' && <Json model={model} />}
        </div>
        <div>
          <Told model={model} />
        </div>
      </div>
      <Shell model={model} uri={uri} />
    </Panel>
  );
}
