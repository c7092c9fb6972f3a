// Role: what the list of services and the page of one share: commands, states, amounts.

import {ask, part} from '../../api/client.ts';
import {DASH, number} from '../../base/number.ts';
import {Mark} from '../../parts/basic.tsx';

/** Starts, stops or takes away; the words are those of dlim. */
export const command = (name: string, verb: string) =>
  verb === 'undeploy'
    ? ask('DELETE', `/dlim/v1/model/${part(name)}`)
    : ask('PUT', `/dlim/v1/model/${part(name)}/operation/${verb}`);

export const Pill = ({word}: {word: string}) => {
  const started = word === 'Started';
  return <Mark shown={{word, icon: started ? 'run' : 'stop', kind: started ? 'run' : ''}} pill />;
};

export const ms = (value: number | null | undefined) =>
  value === undefined || value === null ? DASH : `${number(Number(value.toPrecision(3)))} ms`;

export const servicePath = (name: string) => `/services/${part(name)}`;
