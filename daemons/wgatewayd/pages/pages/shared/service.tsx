// Role: what the list of services and the page of one share: commands, states, amounts.

import {ask, part} from '../../api/client.ts';
import {DASH, number} from '../../base/number.ts';
import {Mark} from '../../parts/basic.tsx';

/** Starts, stops or takes away; the words are those of dlim. */
export const command = (name: string, verb: string) =>
  verb === 'undeploy'
    ? ask('DELETE', `/dlim/v1/model/${part(name)}`)
    : ask('PUT', `/dlim/v1/model/${part(name)}/operation/${verb}`);

/** A started one without a router, as far as that is told, is starting still. */
export const standing = ({state, router}: {readonly state: string; readonly router?: unknown}) =>
  state === 'Started' && router === null ? 'Starting' : state;

export const Pill = ({word}: {word: string}) => {
  const icon = word === 'Started' ? 'run' : word === 'Starting' ? 'half' : 'stop';
  return <Mark shown={{word, icon, kind: icon === 'stop' ? '' : 'run'}} pill />;
};

export const ms = (value: number | null | undefined) =>
  value === undefined || value === null ? DASH : `${number(Number(value.toPrecision(3)))} ms`;

export const servicePath = (name: string) => `/services/${part(name)}`;
