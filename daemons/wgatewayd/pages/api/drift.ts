// Role: what the pages take the interface for, held against what its document says: a shape that
// does not fit is an error of types here. Nothing of it runs. build/types.mjs makes `types.ts`.

import type * as own from './shapes.ts';
import type * as admin from './shapes_admin.ts';
import type * as config from './shapes_config.ts';
import type * as logs from './shapes_logs.ts';
import type * as more from './shapes_more.ts';
import type {components} from './types.ts';

type Sent = components['schemas'];
/** An error of types where what is sent is not what the pages read. */
type Fit<Is extends Read, Read> = Is;

export type Fits = [
  Fit<Sent['session'], own.Session>,
  Fit<Sent['job_row'], own.JobRow>,
  Fit<Sent['job'], own.JobFacts>,
  Fit<Sent['timeline']['events'][number], own.JobEvent>,
  Fit<Sent['slots'], own.Slots>,
  Fit<Sent['metrics']['series'][number], own.Metric>,
  Fit<Sent['log_sizes'], own.WorkerLog>,
  Fit<Sent['host'], admin.Host>,
  Fit<Sent['capacity'], admin.Capacity>,
  Fit<Sent['queue'], admin.Queue>,
  Fit<Sent['plan'], admin.Plan>,
  Fit<Sent['usage'], admin.Usage>,
  Fit<Sent['budget'], admin.Budget>,
  Fit<Sent['limit'], admin.Limit>,
  Fit<Sent['key'], admin.ApiKey>,
  Fit<Sent['key_made'], admin.KeyMade>,
  Fit<Sent['audit'], own.Audit>,
  Fit<Sent['framework'], own.Framework>,
  Fit<Sent['runtime']['packages'][number], own.Package>,
  Fit<Sent['volume'], own.Volume>,
  Fit<Sent['hwspec'], own.Hardware>,
  Fit<Sent['project'], own.Project>,
  Fit<Sent['definition'], own.Definition>,
  Fit<Sent['experiment'], own.Experiment>,
  Fit<Sent['model'], own.Model>,
  Fit<Sent['space_row'], own.SpaceRow>,
  Fit<Sent['space'], own.Space>,
  Fit<Sent['service_row'], more.ServiceRow>,
  Fit<Sent['service'], more.Service>,
  Fit<Sent['sample'], more.ServiceSample>,
  Fit<Sent['trial'], more.Trial>,
  Fit<Sent['search_row'], more.SearchRow>,
  Fit<Sent['notebooks'], more.Notebooks>,
  Fit<Sent['connection'], more.Connection>,
  Fit<Sent['view'], more.SavedView>,
  Fit<Sent['definition'], more.Version>,
  Fit<Sent['experiment'], more.Version>,
  Fit<Sent['model'], more.Version>,
  Fit<Sent['run_row'], more.RunRow>,
  Fit<Sent['compared']['runs'][number], more.ComparedRun>,
  Fit<Sent['config_file'], config.ConfigFile>,
  Fit<Sent['config_checked'], config.Checked>,
  Fit<Sent['config_preview'], config.Preview>,
  Fit<Sent['found_lines'], logs.FoundLines>,
  Fit<Sent['merged_part'], logs.MergedPart>,
  Fit<Sent['checkpoints'], logs.Checkpoints>,
  Fit<Sent['run_files'], logs.RunFiles>,
  Fit<Sent['results'], admin.Results>,
  Fit<Sent['job_use']['hosts'][number], logs.HostUse>,
  Fit<Sent['compared_series'], more.ComparedSeries>,
];
