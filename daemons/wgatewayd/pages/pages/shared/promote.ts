// Role: a model goes to a space, where one of its name may be.

import {send} from '../../api/client.ts';
import {asRefused} from '../../api/problem.ts';

/**
 * @param path of the model at the interface
 * @returns false: there is one of that name, and nothing was done
 */
export async function promoted(path: string, space: string): Promise<boolean> {
  try {
    await send(`${path}/promote`, {space});
    return true;
  } catch (problem) {
    if (asRefused(problem).status === 409) return false;
    throw problem;
  }
}
