// Role: whom a space is shared with, as a dialog.

import {clean} from '../../base/text.ts';
import {Dialog} from '../../parts/dialog.tsx';
import {Outside} from '../../parts/basic.tsx';
import {me} from '../../state/session.ts';
import {isMine, spacePath} from '../shared/space.ts';
import type {SpaceModel} from './model.ts';
import type {Space} from '../../api/shapes.ts';

const ROLES = [
  ['viewer', 'sees models and deployments'],
  ['editor', 'promotes to it, deploys from it'],
  ['admin', 'changes the members, too'],
] as const;

interface RoleProps {
  readonly label: string;
  readonly value: string;
  readonly onChoose: (role: string) => void;
}
const Role = ({label, value, onChoose}: RoleProps) => (
  <select
    aria-label={label}
    value={value}
    onChange={(event) => onChoose(event.currentTarget.value)}
  >
    {ROLES.map(([role]) => (
      <option key={role} value={role}>
        {role}
      </option>
    ))}
  </select>
);

function Add({model}: {model: SpaceModel}) {
  const {members} = model;
  const {name, role} = members.added.value;
  const set = (what: {name?: string; role?: string}) => {
    members.added.value = {name, role, ...what};
  };
  return (
    <form
      class="members-add"
      onSubmit={(event) => {
        event.preventDefault();
        members.add();
      }}
    >
      <input
        type="text"
        id="member-name"
        aria-label="Account, or @group"
        placeholder="account, or @group"
        autocomplete="off"
        value={name}
        onInput={(event) => set({name: event.currentTarget.value})}
      />
      <Role label="Role" value={role} onChoose={(chosen) => set({role: chosen})} />
      <button type="submit" class="btn" id="member-add">
        Add
      </button>
    </form>
  );
}

const List = ({model: {members}}: {model: SpaceModel}) =>
  members.list.value.length ? (
    <ul class="members">
      {members.list.value.map((m) => (
        <li key={m.name}>
          <Outside text={m.name} />
          <Role
            label={`Role of ${clean(m.name)}`}
            value={m.role}
            onChoose={(role) => members.setRole(m.name, role)}
          />
          <button
            type="button"
            class="link s"
            aria-label={`Remove ${clean(m.name)}`}
            onClick={() => members.remove(m.name)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  ) : (
    <p>Nobody yet but its owner.</p>
  );

export function MembersDialog({space, model}: {space: Space; model: SpaceModel}) {
  const {members} = model;
  const shared = isMine(space) ? `${me.value}~${space.name}` : space.name;
  const close = () => {
    members.shown.value = false;
  };
  return (
    <Dialog id="members" title="Members" open={members.shown.value} onClose={close} wide>
      <ul class="explained">
        {ROLES.map(([role, may]) => (
          <li key={role}>
            <b>{role}</b> {may}
          </li>
        ))}
      </ul>
      {members.problem.value && (
        <p class="err" role="alert">
          {members.problem.value}
        </p>
      )}
      <List model={model} />
      <Add model={model} />
      <p class="s">
        Members find it under Spaces; who does not opens{' '}
        <span class="mono">{clean(`${location.origin}${spacePath(shared)}`)}</span>. It is open
        while its owner is logged on. What a member deploys is the member’s own service.
      </p>
      <div class="foot2">
        <button type="button" class="btn" onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="btn pri"
          id="members-save"
          onClick={() => void model.saveMembers()}
        >
          Save
        </button>
      </div>
    </Dialog>
  );
}
