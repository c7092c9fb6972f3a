// Role: which page an address is. Each is loaded when it is gone to.

import type {ComponentType} from 'preact';

/** What the parentheses of its pattern found, decoded. */
export interface PageProps {
  readonly args: readonly string[];
}
export interface PageModule {
  readonly default: ComponentType<PageProps>;
}
interface Route {
  readonly pattern: RegExp;
  readonly load: () => Promise<PageModule>;
}

/** One of those that are loaded together. */
const first = (name: keyof typeof import('./first_pages.ts')) => async () => ({
  default: (await import('./first_pages.ts'))[name],
});
const cluster = (name: keyof typeof import('./cluster_pages.ts')) => async () => ({
  default: (await import('./cluster_pages.ts'))[name],
});
const assets = (name: keyof typeof import('./asset_pages.ts')) => async () => ({
  default: (await import('./asset_pages.ts'))[name],
});
const searches = (name: keyof typeof import('./search_pages.ts')) => async () => ({
  default: (await import('./search_pages.ts'))[name],
});
const own = (name: keyof typeof import('./own_pages.ts')) => async () => ({
  default: (await import('./own_pages.ts'))[name],
});
const services = (name: keyof typeof import('./service_pages.ts')) => async () => ({
  default: (await import('./service_pages.ts'))[name],
});

export const ROUTES: readonly Route[] = [
  {pattern: /^\/$/, load: first('home')},
  {pattern: /^\/apps$/, load: first('applications')},
  {pattern: /^\/apps\/([^/]+)$/, load: () => import('../pages/run/page.tsx')},
  {pattern: /^\/runs$/, load: own('runs')},
  {pattern: /^\/compare$/, load: own('compare')},
  {pattern: /^\/new\/(?:experiment|job)$/, load: searches('newExperiment')},
  {pattern: /^\/new\/search$/, load: searches('newSearch')},
  {pattern: /^\/notebooks(?:\/([^/]+))?$/, load: own('notebooks')},
  {pattern: /^\/searches$/, load: searches('searches')},
  {pattern: /^\/searches\/([^/]+)$/, load: searches('search')},
  {pattern: /^\/services$/, load: services('services')},
  {pattern: /^\/services\/([^/]+)$/, load: services('service')},
  {pattern: /^\/models$/, load: assets('models')},
  {pattern: /^\/spaces$/, load: assets('spaces')},
  {pattern: /^\/spaces\/([^/]+)$/, load: assets('space')},
  {pattern: /^\/projects$/, load: assets('projects')},
  {pattern: /^\/projects\/([^/]+)$/, load: assets('project')},
  {pattern: /^\/frameworks$/, load: assets('frameworks')},
  {pattern: /^\/connections$/, load: assets('connections')},
  {pattern: /^\/help$/, load: own('help')},
  {pattern: /^\/cluster$/, load: cluster('cluster')},
  {pattern: /^\/cluster\/([^/]+)$/, load: cluster('host')},
  {pattern: /^\/plans$/, load: cluster('plans')},
  {pattern: /^\/queues$/, load: cluster('queues')},
  {pattern: /^\/usage$/, load: cluster('usage')},
  {pattern: /^\/account$/, load: own('account')},
  {pattern: /^\/audit$/, load: cluster('audit')},
  {pattern: /^\/config(?:\/([^/]+))?$/, load: cluster('config')},
];

export interface Found {
  readonly route: Route;
  readonly args: readonly string[];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** null: no page has this address. */
export function find(path: string): Found | null {
  for (const route of ROUTES) {
    const found = path.match(route.pattern);
    if (found) return {route, args: found.slice(1).map((arg) => decoded(arg ?? ''))};
  }
  return null;
}
