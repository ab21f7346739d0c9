import { entities } from '../../src/app/rooms.js';
import { type Resource, resourceByName } from '../../src/health/catalogue/catalogue.js';
import { mapGroups } from '../../src/health/catalogue/map-records.js';
import type { ChangedDays } from '../../src/health/clock/changed-days.service.js';
import { RecordsReader } from '../../src/health/reads/records.reader.js';
import type { RecordsQuery } from '../../src/health/reads/stored-record.js';
import { HealthDataRepository } from '../../src/health/records/health-data.repository.js';
import { HealthDataService } from '../../src/health/records/health-data.service.js';
import { SeriesIndex } from '../../src/health/records/series-index.repository.js';
import { compareDays } from '../../src/ingest/audits/day-comparison.js';
import { storedObjects } from '../../src/ingest/audits/stored-objects.js';
import { wireObjects } from '../../src/ingest/audits/wire-objects.js';
import { SystemClock } from '../../src/platform/platform/clock.js';
import { NetworkGate } from '../../src/platform/platform/network-gate.js';
import { DAY_MS, dateOf } from '../../src/platform/platform/time.js';
import { openStore, openWriter, type Store } from '../../src/storage/database/store.js';
import { type Figure, figureOf, type Plan } from '../figures.js';
import { preparedDatabase } from '../process/pulsekeep.js';
import { configOf } from '../process/seed.js';
import { staged } from '../process/stage.js';
import { interleaved } from '../rounds.js';

/*
 * Processor time of auditing a day of heart rate each minute, and of applying it as messages of 19 samples, 50 to a
 * commit. Neither has the network or the inbox in it.
 */

const resource = resourceByName('heartrate') as Resource;
const provider = 'oura';
const source = { provider, type: 'ring' };
const first = Date.UTC(2025, 10, 1);
const [samplesADay, samplesAMessage, together, rowsARead] = [1_440, 19, 50, 1_000];
/** AUDIT_CYCLE_DAYS */
const cycleDays = 30;

/** The samples of a day as upstream writes them. */
function samplesOf(day: number): object[] {
  return Array.from({ length: samplesADay }, (_, minute) => {
    const start = new Date(first + day * DAY_MS + minute * 60_000).toISOString();
    return { timestamp: start, start, end: start, timezone_offset: 0, unit: 'bpm', value: 50 + (minute % 90) };
  });
}

function messagesOf(day: number): string[] {
  const samples = samplesOf(day);
  const texts: string[] = [];
  for (let at = 0; at < samples.length; at += samplesAMessage) {
    texts.push(JSON.stringify({ source, data: samples.slice(at, at + samplesAMessage) }));
  }
  return texts;
}

const service = new HealthDataService(new HealthDataRepository(), new SeriesIndex(), new SystemClock(), {
  placed: (_tx: unknown, _series: unknown, change: unknown) => Promise.resolve(change),
} as unknown as ChangedDays);

async function apply(store: Store, messages: readonly string[], firstRef: number): Promise<void> {
  for (let at = 0; at < messages.length; at += together) {
    const looks = messages.slice(at, at + together).map((text, index) => {
      const ref = firstRef + at + index;
      const records = mapGroups(resource, [JSON.parse(text) as { source: never; data: unknown[] }]);
      return { account: 1, records, provenance: { kind: 'message', ref, at: first + ref } as const };
    });
    await store.lane.run((tx) => service.applyTogether(tx, looks));
  }
}

async function audit(store: Store, day: number, answer: string): Promise<void> {
  const wire = wireObjects(resource, [JSON.parse(answer)]);
  const start = first + day * DAY_MS;
  const query = { account: 1, resource, provider, sourceType: null, start, end: start + DAY_MS, limit: rowsARead };
  const rebuild = storedObjects(resource);
  const stored = [];
  for (let after: RecordsQuery['after'] = null; ; ) {
    const records = await new RecordsReader(store.reader).list({ ...query, after });
    stored.push(...records.map(rebuild));
    const last = records.at(-1);
    if (last?.kind !== 'sample' || records.length < rowsARead) break;
    after = [last.time, last.seriesId, last.sibling];
  }
  const [compared] = compareDays(resource, provider, [dateOf(start)], { wire, stored });
  if (!compared?.isEqual || compared.objects !== samplesADay) throw new Error('The day is not equal.');
}

/** Milliseconds of the processor, of all threads of this process, for each of the days. */
async function processorTime(days: number, run: () => Promise<void>): Promise<{ ms: number }> {
  const begun = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(begun);
  return { ms: (user + system) / 1_000 / days };
}

/** What audits cost the processor beside apply. */
export function audits({ rounds, scale, step }: Plan): Promise<Figure[]> {
  return staged(async (keep) => {
    const config = configOf(keep(await preparedDatabase(1)).path);
    const store = await openStore(await openWriter(config, entities), config, new NetworkGate());
    keep({ end: () => store.close() });
    const count = Math.max(2, Math.round(30 * scale));
    const daysOf = (round: number): number[] => Array.from({ length: count }, (_, index) => round * count + index);
    const applied = async (round: number): Promise<{ ms: number }> => {
      const messages = daysOf(round).map(messagesOf);
      return processorTime(count, async () => {
        for (const [index, own] of messages.entries())
          await apply(store, own, ((round + 1) * count + index + 1) * 1_000);
      });
    };
    // The days of the round before, so that the order of the sides does not matter.
    await applied(-1);
    const audited = (round: number): Promise<{ ms: number }> => {
      const days = daysOf(round - 1);
      const answers = days.map((day) => JSON.stringify({ groups: { [provider]: [{ source, data: samplesOf(day) }] } }));
      return processorTime(count, async () => {
        for (const [index, day] of days.entries()) await audit(store, day, answers[index] ?? '');
      });
    };
    const sides = [
      { name: 'apply', run: applied },
      { name: 'audit', run: audited },
    ];
    const of = await interleaved(rounds, sides, step);
    const [applying, auditing] = [of('apply', 'ms'), of('audit', 'ms')];
    const baseline = { name: 'apply of a day', values: applying };
    const share = (days: number): Figure =>
      figureOf({
        name: `audits beside apply, ${days} days in ${cycleDays}`,
        unit: '%',
        values: auditing.map((ms, round) => (100 * (ms * (days / cycleDays))) / (applying[round] ?? Number.NaN)),
      });
    return [
      figureOf({ name: 'apply, processor time', unit: 'ms/day', values: applying }),
      figureOf({ name: 'audit, processor time', unit: 'ms/day', values: auditing, baseline }),
      ...[30, 90, 400].map(share),
    ];
  });
}
