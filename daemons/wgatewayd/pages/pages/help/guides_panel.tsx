// Role: the guides: searched by words, read in place.

import {useSignal} from '@preact/signals';
import {get} from '../../api/client.ts';
import {clean} from '../../base/text.ts';
import {Panel} from '../../parts/basic.tsx';
import {param, setParam} from '../../state/address.ts';
import {useAsked} from '../../state/asked.ts';
import {blocksOf, found, type Guide, type Section, sectionsOf, shortTitle} from './guides.ts';

declare const GUIDES_ADDRESS: string;
const MOST = 12;

const Text = ({section}: {section: Section}) => (
  <div class="guide">
    {blocksOf(section.text).map((block) =>
      block.is === 'code' ? (
        <pre class="cmd" key={block.text}>
          {block.text}
        </pre>
      ) : block.is === 'head' ? (
        <h3 key={block.text}>{block.text}</h3>
      ) : (
        <p key={block.text}>{block.text}</p>
      ),
    )}
  </div>
);

export function GuidesPanel() {
  const guides = useAsked(() => get<Guide[]>(GUIDES_ADDRESS));
  const word = useSignal(param('q'));
  const all = guides.value.value ?? [];
  const sections = all.flatMap(sectionsOf);
  const one = param('guide');
  const shown = word.value.trim()
    ? found(sections, word.value, MOST)
    : sections.filter((section) => section.guide === one);
  return (
    <Panel title="Guides" id="h-g">
      <div class="pb">
        <label class="field" for="f-guides">
          <span>Find in the guides</span>
          <input
            id="f-guides"
            type="search"
            name="guides"
            placeholder="elastic, checkpoint, GPU, budget"
            value={word.value}
            onInput={(event) => {
              word.value = event.currentTarget.value;
              setParam('q', word.value);
            }}
          />
        </label>
        <p class="chips">
          {all.map((guide) => (
            <a class="chip" key={guide.name} href={`/help?guide=${guide.name}`}>
              {clean(shortTitle(guide.title), 40)}
            </a>
          ))}
        </p>
        {guides.failure.value && <p class="err">The guides are not there: wm-user(7) is.</p>}
        {word.value.trim() && shown.length === 0 && (
          <p class="m s">
            No guide has all these words. In a shell: man -k {clean(word.value, 40)}
          </p>
        )}
        {shown.map((section) => (
          <details
            key={`${section.guide} ${section.title}`}
            open={!word.value.trim() || shown.length === 1}
          >
            <summary>
              {clean(section.title, 100)} <span class="m s">{section.guide}</span>
            </summary>
            <Text section={section} />
          </details>
        ))}
      </div>
    </Panel>
  );
}
