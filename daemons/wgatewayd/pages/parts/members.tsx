// Role: whom a space or a project is shared with, as a dialog.

import type {ComponentChildren} from 'preact';
import {clean} from '../base/text.ts';
import {Outside} from './basic.tsx';
import {Dialog} from './dialog.tsx';
import type {Members} from './members_model.ts';

const NAMES = ['viewer', 'editor', 'admin'] as const;

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
    {NAMES.map((role) => (
      <option key={role} value={role}>
        {role}
      </option>
    ))}
  </select>
);

function Add({members}: {members: Members}) {
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

const List = ({members}: {members: Members}) =>
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

interface MembersProps {
  readonly members: Members;
  /** What a viewer, an editor and an admin may do. */
  readonly may: readonly [string, string, string];
  readonly onSave: () => void;
  /** How they find it. */
  readonly children: ComponentChildren;
}

export function MembersDialog({members, may, onSave, children}: MembersProps) {
  const close = () => {
    members.shown.value = false;
  };
  return (
    <Dialog id="members" title="Members" open={members.shown.value} onClose={close} wide>
      <ul class="explained">
        {NAMES.map((role, i) => (
          <li key={role}>
            <b>{role}</b> {may[i]}
          </li>
        ))}
      </ul>
      {members.problem.value && (
        <p class="err" role="alert">
          {members.problem.value}
        </p>
      )}
      <List members={members} />
      <Add members={members} />
      <p class="s">{children}</p>
      <div class="foot2">
        <button type="button" class="btn" onClick={close}>
          Cancel
        </button>
        <button type="button" class="btn pri" id="members-save" onClick={onSave}>
          Save
        </button>
      </div>
    </Dialog>
  );
}

interface ShareProps {
  readonly members: Members;
  readonly list: Parameters<Members['open']>[0];
}
/** Opens it. */
export const Share = ({members, list}: ShareProps) => (
  <button type="button" class="btn" id="open-members" onClick={() => members.open(list)}>
    {list.length ? `Members ${list.length}` : 'Share'}
  </button>
);
