import { DAY_MS, dateAfter, dateOf } from '../../platform/platform/time.js';
import type { Change } from '../change-log/change.js';
import type { ChangeLogRepository } from '../change-log/change-log.repository.js';
import { MAX_TOUCHING_CHANGES_A_READ } from '../database/tuning.js';
import type { View } from '../declarations/views.js';
import type { GoneKeys } from './dataset-folder.js';
import type { DifferingDays } from './differing-days.js';
import type { Snapshot } from './snapshot.js';

/** A file's worth of rows: a resource and day of a view, or a whole view. */
export interface Part {
  readonly view: View;
  readonly resource: string | null;
  /** Null: rows without a day, or the whole view. */
  readonly day: string | null;
}

/** People whose rows depend on more than their changes; `accounts.id`. */
export interface ShownPeople {
  /** Being erased: none of their rows are shown. */
  readonly erasing: ReadonlySet<number>;
  /** Had another upstream user before: a record may hide an older one of neighbouring days. */
  readonly relinked: ReadonlySet<number>;
}

/** Names a part in sets and maps. */
export const keyOf = ({ view, resource, day }: Part): string => [view.name, resource, day].join('\n');

/** Where the rows were that changes are about, before their files are made again. */
export interface Searched {
  /** Ids of records by view, which may be in a file of another day than now. */
  readonly records: ReadonlyMap<View, ReadonlySet<string>>;
  /** People who may be in any file; as text. */
  readonly people: ReadonlySet<string>;
}

export interface Touched extends Searched {
  readonly parts: ReadonlyMap<string, Part>;
  readonly gone: GoneKeys;
}

/** What changed between two numbers of the feed. */
export async function touchedBetween(
  { log, snapshot, views, people, days }: Reading,
  after: number,
  last: number,
): Promise<Touched> {
  const notes = new Notes(snapshot, views, people);
  for await (const change of changesBetween(log, after, last)) {
    await notes.add(change);
    days.note(change);
  }
  return notes.touched();
}

/** The changes between two numbers of the feed, in order. */
export async function* changesBetween(log: ChangeLogRepository, after: number, last: number): AsyncGenerator<Change> {
  for (let at = after; at < last; ) {
    const changes = await log.page(at, last, MAX_TOUCHING_CHANGES_A_READ);
    yield* changes;
    at = changes.length < MAX_TOUCHING_CHANGES_A_READ ? last : (changes.at(-1)?.number ?? last);
  }
}

export interface Reading {
  readonly log: ChangeLogRepository;
  readonly snapshot: Snapshot;
  readonly views: readonly View[];
  readonly people: ShownPeople;
  readonly days: DifferingDays;
}

class Notes {
  private readonly parts = new Map<string, Part>();
  private readonly records = new Map<View, Set<string>>();
  private readonly people = new Set<string>();
  private readonly gone = {
    accounts: new Set<number>(),
    records: new Map<string, GoneKeys['records'][number]>(),
    samples: [] as GoneKeys['samples'][number][],
  };
  private readonly cut: readonly View[];

  constructor(
    private readonly snapshot: Snapshot,
    views: readonly View[],
    private readonly shown: ShownPeople,
  ) {
    this.cut = views.filter(({ cut }) => cut !== undefined);
  }

  touched(): Touched {
    const { accounts, records, samples } = this.gone;
    const gone = { accounts: [...accounts], records: [...records.values()], samples };
    return { parts: this.parts, records: this.records, people: this.people, gone };
  }

  async add(change: Change): Promise<void> {
    const { kind, account, subject } = change;
    if (kind === 'samples' || kind === 'sample_hours') this.addSamples(change);
    else if (kind === 'summary') await this.addRecord(change);
    else if (kind === 'erasure') {
      this.people.add(subject);
      this.gone.accounts.add(Number(subject));
    } else if (kind === 'account' && account !== null && this.shown.relinked.has(account)) {
      this.people.add(String(account));
    }
  }

  /** Hours of samples take the place of samples, so both views differ. */
  private addSamples({ kind, action, account, resource, provider, samples }: Change): void {
    if (!samples || resource === null) return;
    for (const view of this.cut) {
      if (view.cut?.change !== 'samples' && view.cut?.change !== kind) continue;
      for (let at = samples.start; dateOf(at) <= dateOf(samples.end); at += DAY_MS) {
        this.addPart({ view, resource, day: dateOf(at) });
      }
    }
    if (action !== 'gone' || account === null) return;
    const [start, end] = [samples.start, samples.end].map((ms) => new Date(ms).toISOString());
    const key = { account_ref: account, resource, provider: provider ?? '', start: start ?? '', end: end ?? '' };
    this.gone.samples.push(key);
  }

  private async addRecord({ action, account, resource, subject }: Change): Promise<void> {
    const view = this.cut.find(({ cut }) => cut?.resource === resource);
    if (!view?.cut?.dayOf || account === null || resource === null) return;
    const [row] = await this.snapshot.rows<{ day: string | null }>(view.cut.dayOf, [account, resource, subject]);
    const key = `${resource}\n${subject}`;
    if (row) {
      this.gone.records.delete(key);
      this.addPart({ view, resource, day: row.day });
      if (this.shown.relinked.has(account) && row.day !== null) this.addDaysBeside({ view, resource, day: row.day });
    } else if (action === 'gone') this.gone.records.set(key, { resource, record_id: subject });
    if (action === 'created') return;
    const searched = this.records.get(view) ?? new Set();
    this.records.set(view, searched.add(subject));
  }

  /** A record may hide one of an earlier upstream user that began up to two days from it. */
  private addDaysBeside(part: Part & { readonly day: string }): void {
    for (const days of [-3, -2, -1, 1, 2, 3]) this.addPart({ ...part, day: dateAfter(part.day, days) });
  }

  private addPart(part: Part): void {
    this.parts.set(keyOf(part), part);
  }
}
