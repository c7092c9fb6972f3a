// Role: whom a space is shared with, as a dialog.

import type {Space} from '../../api/shapes.ts';
import {clean} from '../../base/text.ts';
import {MembersDialog} from '../../parts/members.tsx';
import {me} from '../../state/session.ts';
import {isMine, spacePath} from '../shared/space.ts';
import type {SpaceModel} from './model.ts';

const MAY = [
  'sees models and deployments',
  'promotes to it, deploys from it',
  'changes the members, too',
] as const;

export function SpaceMembers({space, model}: {space: Space; model: SpaceModel}) {
  const shared = isMine(space) ? `${me.value}~${space.name}` : space.name;
  return (
    <MembersDialog members={model.members} may={MAY} onSave={() => void model.saveMembers()}>
      Members find it under Spaces; who does not opens{' '}
      <span class="mono">{clean(`${location.origin}${spacePath(shared)}`)}</span>. What a member
      deploys is the member’s own service.
    </MembersDialog>
  );
}
