// Role: where a host's page is. Pure.

import {part} from '../../api/client.ts';

export const hostPath = (name: string) => `/cluster/${part(name)}`;
