import type { Config } from '../../platform/config/config.js';
import { localAddress } from '../../platform/config/environment.js';
import type { IgnoredConfig } from '../../platform/config/ignored-config.js';
import { aboutUnknown } from '../../platform/config/unknown-variables.js';
import type { Clock } from '../../platform/platform/clock.js';
import { brokerCheck } from './broker-check.js';
import { type Check, place } from './check.js';
import { type AskAlarms, type ServiceAddress, serviceChecks } from './service-checks.js';
import { signInChecks } from './sign-in-checks.js';
import { databaseCheck, diskCheck, journalCheck, replicaChecks } from './storage-checks.js';
import { aboutProxy, upstreamChecks } from './upstream-checks.js';

/** The running service to check. */
interface Target {
  readonly url: string | undefined;
  readonly askAlarms: AskAlarms | undefined;
  /** Required content of the database. */
  readonly entities: readonly (new () => object)[];
  /** True if this process has the database open. */
  readonly isOpenHere?: boolean;
  /** Called once, with the checks that have not ended after a second. */
  readonly waitingFor?: (checks: readonly string[]) => void;
}

const SLOW_MS = 1_000;

/** Ends with the results of all checks; names those that take longer than a second. */
class Running {
  private readonly open = new Set<string>();
  private readonly timer: NodeJS.Timeout;

  constructor(waitingFor: (checks: readonly string[]) => void) {
    this.timer = setTimeout(() => waitingFor([...this.open]), SLOW_MS);
  }

  async check<T>(name: string, work: Promise<T>): Promise<T> {
    this.open.add(name);
    try {
      return await work;
    } finally {
      this.open.delete(name);
      if (this.open.size === 0) clearTimeout(this.timer);
    }
  }
}

/** Runs all checks of a configured service. Read-only. */
export async function examineAll(
  config: Config,
  clock: Clock,
  { url, askAlarms, entities, isOpenHere, waitingFor = () => undefined }: Target,
): Promise<Check[]> {
  const running = new Running(waitingFor);
  const [upstream, signIn, database, replica, disk, journal, broker, service] = await Promise.all([
    running.check('upstream', upstreamChecks(config, clock)),
    running.check('the identity providers', signInChecks(config)),
    running.check('the database', databaseCheck(config, entities, isOpenHere)),
    running.check('the replica', replicaChecks(config)),
    running.check('the disk', diskCheck(config)),
    running.check('the erasure journal', journalCheck(config, isOpenHere)),
    running.check('the message broker', brokerCheck(config.webhook)),
    running.check('the service', serviceChecks(addressOf(config, url), askAlarms)),
  ]);
  return [
    place('configuration').ok(`Complete and consistent.${aboutProxy(config.ignored)}${aboutStrangers(config.ignored)}`),
    ...upstream,
    ...signIn,
    database,
    ...replica,
    disk,
    journal,
    broker,
    ...service,
  ];
}

function addressOf({ http }: Config, url: string | undefined): ServiceAddress {
  if (url !== undefined) return { url, isNamed: true };
  return { url: http.port === 0 ? null : localAddress(http), isNamed: false };
}

/** Empty, or sentences with a leading space. */
function aboutStrangers({ unknown }: IgnoredConfig): string {
  return unknown.map((each) => ` ${each.name} has no effect: it ${aboutUnknown(each)}.`).join('');
}
