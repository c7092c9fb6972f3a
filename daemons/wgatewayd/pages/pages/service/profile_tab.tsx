// Role: the Profile tab: what may change at once, and what waits for a stop.

import {Panel, Segment} from '../../parts/basic.tsx';
import {FIELDS, type ProfileField, type ProfileModel} from './profile.ts';

function ProfileInput({
  field,
  model,
  fixed,
}: {
  field: ProfileField;
  model: ProfileModel;
  fixed: boolean;
}) {
  const {where, label, note, words} = field;
  const value = model.value(where);
  const disabled = fixed && !field.live;
  return (
    <label class="field" for={`profile-${where}`}>
      <span>{label}</span>
      {words.length ? (
        <select
          id={`profile-${where}`}
          name={where}
          value={value}
          disabled={disabled}
          onChange={(event) => model.set(where, event.currentTarget.value)}
        >
          {words.map((word) => (
            <option key={word} value={word}>
              {word}
            </option>
          ))}
        </select>
      ) : (
        <input
          type="text"
          inputMode={field.numeric ? 'numeric' : 'text'}
          id={`profile-${where}`}
          name={where}
          value={value}
          disabled={disabled}
          onInput={(event) => model.set(where, event.currentTarget.value)}
        />
      )}
      {note && <small>{note}</small>}
    </label>
  );
}

const Fixed = () => (
  <p class="m s">
    It is started: what its router decides by may change at once, fewer kernels at least or more at
    most than it was started with may not; the rest has to wait for a stop.
  </p>
);

export function ProfileTab({model, started}: {model: ProfileModel; started: boolean}) {
  const ways = (
    <Segment
      label="Form"
      value={model.asJson.value ? 'json' : 'fields'}
      options={[
        ['fields', 'Fields'],
        ['json', 'JSON'],
      ]}
      onChoose={(way) => model.choose(way === 'json')}
    />
  );
  return (
    <Panel title="Profile" id="h-p" tools={ways}>
      <div class="pb">
        {model.doing.problem.value && (
          <p class="err" role="alert">
            {model.doing.problem.value}
          </p>
        )}
        {model.said.value && (
          <p class="say" role="status" id="profile-said">
            {model.said.value}
          </p>
        )}
        {started && <Fixed />}
        {model.asJson.value ? (
          <textarea
            name="profile"
            rows={24}
            class="mono"
            aria-label="The profile as JSON"
            value={model.text.value}
            onInput={(event) => {
              model.text.value = event.currentTarget.value;
            }}
          />
        ) : (
          <div class="two">
            {FIELDS.map((field) => (
              <ProfileInput key={field.where} field={field} model={model} fixed={started} />
            ))}
          </div>
        )}
        <div class="foot2 start gap2">
          <button
            type="button"
            class="btn pri"
            id="save-profile"
            disabled={model.doing.busy.value}
            onClick={() => void model.save()}
          >
            Save
          </button>
        </div>
      </div>
    </Panel>
  );
}
