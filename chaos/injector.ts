import { setTimeout as pause } from 'node:timers/promises';
import type { FaultKind, FaultRule } from '../sandbox/engine/faults.js';
import type { Rng } from '../sandbox/engine/random.js';
import type { Driver } from './driver.js';
import { processFaults } from './process-faults.js';
import type { World } from './world.js';

const HOUR = 3_600_000;
const api = '^/v[23]/';
const pages = '^/v2/(timeseries|introspect)';

/** Temporary faults of upstream, each with the share of calls that it strikes. */
const storms: readonly ((rng: Rng, unwatched: string) => FaultRule)[] = [
  () => ({ kind: 'throttle', path: api, rate: 0.2, retry_after: 1 }),
  () => ({ kind: 'throttle', path: api, rate: 0.2 }),
  () => ({ kind: 'status', path: api, status: 503, rate: 0.05, burst: 10 }),
  // Long enough for the circuit to open.
  () => ({ kind: 'status', path: api, status: 503 }),
  () => ({ kind: 'slow', path: api, rate: 0.3, delay_ms: 1500 }),
  () => ({ kind: 'slow_after', path: api, rate: 0.2, delay_ms: 3000 }),
  () => ({ kind: 'timeout', path: api, rate: 0.1, delay_ms: 5000 }),
  () => ({ kind: 'truncate', path: api, rate: 0.3 }),
  () => ({ kind: 'drop_before', path: api, rate: 0.3 }),
  () => ({ kind: 'drop_after', path: api, rate: 0.3 }),
  () => ({ kind: 'fail_after', path: '/v3/order', method: 'POST', rate: 0.5 }),
  () => ({ kind: 'wrong_type', path: api, rate: 0.3 }),
  () => ({ kind: 'html_error', path: api, rate: 0.3 }),
  () => ({ kind: 'plain_text_500', path: api, rate: 0.3 }),
  () => ({ kind: 'bad_json', path: api, rate: 0.3 }),
  () => ({ kind: 'empty', path: api, rate: 0.3 }),
  () => ({ kind: 'drift', path: api, rate: 0.5 }),
  () => ({ kind: 'stuck_pull', path: '/v2/introspect' }),
  () => ({ kind: 'repeat_cursor', path: pages, rate: 0.2 }),
  () => ({ kind: 'expire_cursor', path: pages, rate: 0.2 }),
  () => ({ kind: 'lose_cursor', path: pages, rate: 0.1 }),
  () => ({ kind: 'endless_cursor', path: pages, rate: 0.5 }),
  () => ({ kind: 'none_cursor', path: pages }),
  // Only for resources whose cursors are not checked, because skipped samples are never stored.
  (_rng, unwatched) => ({ kind: 'skip_cursor', path: `^/v2/timeseries/(${unwatched})/`, rate: 0.3 }),
  () => ({ kind: 'change_between', path: pages, rate: 0.3 }),
  (rng) => ({ kind: 'delay', rate: 0.2, delay_ms: rng.int(1, 12) * HOUR }),
  () => ({ kind: 'drop', rate: 0.3 }),
  () => ({ kind: 'lose', rate: 0.1 }),
  () => ({ kind: 'overtake', rate: 0.3 }),
  () => ({ kind: 'together', rate: 0.7, delay_ms: 2000 }),
  () => ({ kind: 'bad_signature', rate: 0.2 }),
  () => ({ kind: 'old_timestamp', rate: 0.2 }),
  (rng) => ({ kind: 'skew', rate: 0.5, delay_ms: rng.pick([-120_000, 60_000, 200_000]) }),
  () => ({ kind: 'noise', rate: 0.1 }),
  () => ({ kind: 'cut_body', rate: 0.05 }),
  () => ({ kind: 'not_json', rate: 0.05 }),
  () => ({ kind: 'huge_body', rate: 0.002 }),
];

/** Always active. */
const background: readonly FaultRule[] = [
  { kind: 'duplicate', rate: 0.2, seed: 'background' },
  { kind: 'shuffle', rate: 0.5, seed: 'background' },
  { kind: 'drop', rate: 0.02, seed: 'background' },
];

/** Time limit for a process to notice that the clock was set back. */
const STEP_NOTICED_MS = 8000;

/** Injects seeded faults of upstream, the processes and the database until it is stopped. */
export class Injector {
  private running = true;
  private loops: Promise<void>[] = [];
  private readonly storming = new Set<FaultKind>();
  /** True if the clock is wrong, or was until recently, so that some processes may not have noticed. */
  private isClockOff = false;

  constructor(
    private readonly world: World,
    private readonly driver: Driver,
  ) {}

  async begin(): Promise<void> {
    for (const rule of background) await this.world.control.fault(rule);
    const strikes = this.world.options.strikeEvery === 0 ? [] : [this.processes(), this.database(), this.clock()];
    this.loops = [this.upstream(), this.forgetting(), ...strikes];
  }

  /** Ends every fault; resolves once none is active. */
  async end(): Promise<void> {
    this.running = false;
    await Promise.all(this.loops);
    this.world.database.mend();
    const { faults } = await this.world.control.faults();
    for (const { kind, struck } of faults) this.world.injected.add(`upstream.${kind}`, struck);
    await this.world.control.clearFaults();
  }

  private async upstream(): Promise<void> {
    const rng = this.world.rng('storms');
    while (this.running) {
      const unwatched = this.driver.linked
        .flatMap((one) => (one.fate === 'data_forgotten' ? one.userId : []))
        .join('|');
      const rules = Array.from({ length: rng.int(1, 3) }, () => rng.pick(storms)(rng, unwatched));
      const fresh = rules.filter(({ kind }) => !background.some((rule) => rule.kind === kind && kind !== 'drop'));
      for (const rule of fresh) await this.world.control.fault({ ...rule, seed: String(rng.int(1, 1e9)) });
      for (const { kind } of fresh) this.storming.add(kind);
      await this.rest(rng.int(1500, 6000));
      const { faults } = await this.world.control.faults();
      for (const { kind, struck } of faults) {
        if (this.storming.has(kind)) this.world.injected.add(`upstream.${kind}`, struck);
      }
      for (const kind of this.storming) await this.world.control.clearFaults(kind);
      if (this.storming.has('drop')) await this.world.control.fault({ kind: 'drop', rate: 0.02, seed: 'background' });
      this.storming.clear();
      await this.rest(rng.int(200, 1500));
    }
  }

  private async processes(): Promise<void> {
    const rng = this.world.rng('processes');
    const faults = this.world.options.server === null ? processFaults.withFile : processFaults.handles;
    while (this.running) {
      const member = rng.pick(this.world.members);
      // One in six is killed while it starts, the others after they have worked for a while.
      if (rng.chance(5 / 6)) await this.until(() => member.isListening);
      await this.rest(this.pauseOf(rng, 100, 3000));
      // A clock set back while no process runs cannot be noticed; docs/reliability.md excludes it.
      await this.until(() => !this.isClockOff);
      if (!this.running) return;
      if (rng.chance(0.8)) {
        if (member.kill()) this.world.injected.add('process.kill');
        await this.checkPlaces();
      } else if (rng.chance(0.4)) {
        this.world.injected.add('process.freeze');
        await member.freeze(rng.int(500, 6000));
      } else {
        const fault = rng.pick(faults);
        const struck = await member.disturb(fault, rng.int(500, 4000));
        if (struck > 0) this.world.injected.add(fault.name, struck);
        else this.world.seen.add(`not possible or met nothing: ${fault.name}`);
      }
    }
  }

  /** Sets the clock forward or back by seconds or hours, and later corrects it. */
  private async clock(): Promise<void> {
    const rng = this.world.rng('clock');
    while (this.running) {
      await this.rest(3 * this.pauseOf(rng, 5000, 15_000));
      if (!this.running) break;
      this.isClockOff = true;
      const step = rng.pick([-1, 1]) * rng.pick([rng.int(1, 60) * 1000, rng.int(1, 12) * HOUR]);
      this.world.stepClock(step);
      this.world.injected.add('clock.step');
      // Longer than any delay between reading the clock and using it, and than the interval of the check for steps.
      await this.rest(rng.int(7000, 10_000));
      this.world.stepClock(0);
      await this.rest(STEP_NOTICED_MS);
      this.isClockOff = false;
    }
  }

  /** Time until the next fault. */
  private pauseOf(rng: Rng, least: number, most: number): number {
    const { strikeEvery } = this.world.options;
    return strikeEvery === null ? rng.int(least, most) : rng.float(0.2, 1.8, 3) * strikeEvery * 1000;
  }

  private async database(): Promise<void> {
    const rng = this.world.rng('database');
    const { database, injected } = this.world;
    while (this.running) {
      await this.rest(this.pauseOf(rng, 2000, 10_000));
      await this.until(() => !this.isClockOff);
      const fault = database.faults.length > 0 && rng.chance(0.8) ? rng.pick(database.faults) : null;
      const length = rng.int(300, 4000);
      if (fault === null) {
        injected.add('database.lock');
        await database.lock(length).catch(() => this.world.seen.add('locks not got'));
      } else {
        injected.add(fault.name);
        await fault.strike(rng.int(0, 1000)).catch(() => this.world.seen.add('faults not possible'));
        await this.rest(length);
        database.mend();
      }
    }
  }

  /** Makes upstream lose data without an event, only for people reserved for this. */
  private async forgetting(): Promise<void> {
    const { control } = this.world;
    const kinds = { user_forgotten: 'forget_user', connection_forgotten: 'forget_connection' } as const;
    const done = new Set<number>();
    while (this.running) {
      await this.rest(2000);
      for (const person of this.driver.linked) {
        if (done.has(person.number) || !(person.fate in kinds || person.fate === 'data_forgotten')) continue;
        done.add(person.number);
        const kind = person.fate === 'data_forgotten' ? 'forget_data' : kinds[person.fate as keyof typeof kinds];
        const times = kind === 'forget_data' ? 5 : 1;
        await control.fault({ kind, path: `^/v2/.*${person.userId}`, times, rate: 0.2 });
      }
    }
  }

  /** Invariant d: at any instant, also right after a kill, all samples that a cursor has passed are stored. */
  private async checkPlaces(): Promise<void> {
    const { database, seen } = this.world;
    const places = await database.pullPlaces().catch(() => null);
    if (places === null) return;
    seen.add('looks at cursors');
    for (const { account, resource, cursor, windowStart, times } of places) {
      const person = this.driver.people.find((one) => one.account === account);
      const passed = passedBy(cursor);
      if (!person || passed === null || person.fate === 'data_forgotten' || person.isErased) continue;
      seen.add('cursors checked');
      const stored = new Set(times);
      const history = (person.history.get(resource) ?? []).filter((time) => time >= windowStart && time <= passed);
      const missing = history.filter((time) => !stored.has(time)).length;
      if (missing > 0) seen.add('cursor passed records that are not stored', missing);
    }
  }

  private async until(isSo: () => boolean): Promise<void> {
    while (this.running && !isSo()) await pause(50);
  }

  private async rest(ms: number): Promise<void> {
    for (let left = ms; left > 0 && this.running; left -= 200) await pause(Math.min(left, 200));
  }
}

/** The start of the last sample before a cursor of the sandbox; null for one of another form. */
function passedBy(cursor: string): number | null {
  try {
    const [, position] = JSON.parse(Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString()) as [
      string,
      { start?: number },
    ];
    // Samples at the instant itself may still follow, because the sandbox's tie-break is not decoded.
    return position.start === undefined ? null : position.start - 1;
  } catch {
    return null;
  }
}
