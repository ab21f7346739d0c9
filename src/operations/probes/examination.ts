import type { Config } from '../../platform/config/config.js';
import { localAddress } from '../../platform/config/environment.js';
import type { IgnoredConfig } from '../../platform/config/ignored-config.js';
import { aboutUnknown } from '../../platform/config/unknown-variables.js';
import type { Clock } from '../../platform/platform/clock.js';
import { type Check, place } from './check.js';
import { type AskAlarms, serviceChecks } from './service-checks.js';
import { databaseCheck, diskCheck, journalCheck } from './storage-checks.js';
import { aboutProxy, upstreamChecks } from './upstream-checks.js';

export type { Check } from './check.js';

/** The running service to check. */
interface Target {
  readonly url: string | undefined;
  readonly askAlarms: AskAlarms | undefined;
  /** Required content of the database. */
  readonly entities: readonly (new () => object)[];
  /** True if this process has the database open. */
  readonly isOpenHere?: boolean;
}

/** Runs all checks of a configured service. Read-only. */
export async function examineAll(
  config: Config,
  clock: Clock,
  { url, askAlarms, entities, isOpenHere }: Target,
): Promise<Check[]> {
  const [upstream, database, disk, journal, service] = await Promise.all([
    upstreamChecks(config, clock),
    databaseCheck(config, entities, isOpenHere),
    diskCheck(config),
    journalCheck(config, isOpenHere),
    serviceChecks(url ?? (config.http.port === 0 ? null : localAddress(config.http)), askAlarms),
  ]);
  return [
    place('configuration').ok(`Complete and consistent.${aboutProxy(config.ignored)}${aboutStrangers(config.ignored)}`),
    ...upstream,
    database,
    disk,
    journal,
    ...service,
  ];
}

/** Empty, or sentences with a leading space. */
function aboutStrangers({ unknown }: IgnoredConfig): string {
  return unknown.map((each) => ` ${each.name} has no effect: it ${aboutUnknown(each)}.`).join('');
}
