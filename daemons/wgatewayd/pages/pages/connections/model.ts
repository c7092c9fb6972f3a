// Role: the model of Connections: which there are, whether each can be used, a new one. What is
// secret is sent and never comes back.

import {signal} from '@preact/signals';
import {ask, get, kept, part, send} from '../../api/client.ts';
import {asRefused} from '../../api/problem.ts';
import type {Connection} from '../../api/shapes_more.ts';
import {Form} from '../../parts/form_model.ts';
import {Asked} from '../../state/asked.ts';
import {Doing} from '../../state/doing.ts';

const STORES = 's3 cos azureblob adls azurefiles smb webdav sftp ftp http gcs';
const TABLES =
  'postgresql mysql mariadb singlestore sqlserver db2 db2zos db2warehouse oracle netezza ' +
  'teradata snowflake hive odbc';
export const TYPES = `${STORES} ${TABLES}`.split(' ');
const BUCKET = ['endpoint', 'access_key_id', 'secret_access_key'];
const WANTED: Readonly<Record<string, readonly string[]>> = {
  s3: BUCKET,
  cos: BUCKET,
  webdav: ['url', 'user', 'pass'],
  odbc: ['driver', 'host', 'database', 'user', 'password'],
};
/** Keys that a type wants, as an example. */
export const wanted = (type: string) =>
  WANTED[type] ?? ['host', 'port', 'database', 'user', 'password'];

/** "key = value" lines as an object; what has no value is left out. */
export function keysOf(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const [key = '', value = ''] = line.split(/=(.*)/s).map((word) => word.trim());
    return key && value ? [[key, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

const path = (name: string) => `/api/v1/connections/${part(name)}`;

export class Connections {
  readonly list = new Asked(
    async () => (await get<{connections: Connection[]}>('/api/v1/connections')).connections,
  );
  /** What came of testing, by name. */
  readonly words = signal<Readonly<Record<string, string>>>({});
  readonly doing = new Doing();
  // No draft: what is typed here is secret.
  readonly form = new Form({name: '', type: 's3', keys: ''});

  private say(name: string, text: string) {
    this.words.value = {...this.words.value, [name]: text};
  }
  async test(name: string) {
    this.say(name, 'is asked…');
    try {
      await ask('POST', `${path(name)}/test`);
      this.say(name, 'can be used');
    } catch (problem) {
      this.say(name, asRefused(problem).message);
    }
  }
  async remove(name: string) {
    await this.doing.run(() => ask('DELETE', path(name)));
    await this.list.refresh();
  }
  async save() {
    const {name, type, keys} = this.form.value.value;
    const missing: Record<string, string> = {};
    if (!name.trim()) missing.name = 'Which name?';
    if (!Object.keys(keysOf(keys)).length) missing.keys = 'Which keys? key = value, one a line.';
    const body = {...keysOf(keys), name: name.trim(), type};
    const known = this.list.value.peek()?.some((c) => c.name === body.name) ?? false;
    const {method, path: to} = kept('/api/v1/connections', body.name, known);
    const done = await this.form.submit(() => send(to, body, method, this.form.key), missing);
    if (!done) return;
    this.form.reset({name: '', type, keys: ''});
    await this.list.refresh();
  }
}
