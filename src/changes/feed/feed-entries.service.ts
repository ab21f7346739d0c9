import { Injectable } from '@nestjs/common';
import type { FeedScope } from '../../platform/config/feed-scope.js';
import { DAY_MS, dateOf, toIso } from '../../platform/platform/time.js';
import type { Change } from '../../storage/change-log/change.js';
import { cursorOf } from '../../storage/change-log/cursor.js';
import { Reader } from '../../storage/database/reader.js';
import type { ChangedSubject, CurrentState } from '../../storage/declarations/change-source.js';
import { Declarations } from '../../storage/declarations/declarations.js';
import type { ChangeDto } from './feed.dto.js';

export interface Entries {
  readonly entries: readonly ChangeDto[];
  /** Accounts (`accounts.id`) whose values are shown. */
  readonly shown: readonly number[];
}

/** Converts changes for consumers: adds the customer's ids and, if the scope includes values, the current state. */
@Injectable()
export class FeedEntries {
  constructor(
    private readonly reader: Reader,
    private readonly declarations: Declarations,
  ) {}

  async of(changes: readonly Change[], feed: string, { values }: FeedScope): Promise<Entries> {
    const names = await this.namesOf(changes.flatMap((change) => refOf(change) ?? []));
    const states = values ? await this.states(changes) : null;
    const entries = changes.map((change, index): ChangeDto => {
      const ref = refOf(change);
      const name = ref === null ? null : (names.get(ref) ?? null);
      const data = states === null ? {} : { data: name === null && ref !== null ? null : (states[index] ?? null) };
      return { ...entryOf(change, feed), account_id: name, account_ref: ref, ...data };
    });
    const shown = entries.flatMap(({ data, account_ref }) => (data ? (account_ref ?? []) : []));
    return { entries, shown: [...new Set(shown)] };
  }

  /** The customer's ids by `accounts.id`. */
  async namesOf(accounts: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return (await this.declarations.accountNames?.namesOf(this.reader, [...new Set(accounts)])) ?? new Map();
  }

  /** `accounts.id`; null if there is no such account. */
  async accountOf(name: string): Promise<number | null> {
    return (await this.declarations.accountNames?.accountOf(this.reader, name)) ?? null;
  }

  private async states(changes: readonly Change[]): Promise<(CurrentState | null)[]> {
    const states: (CurrentState | null)[] = changes.map(() => null);
    for (const [kind, source] of this.declarations.changes) {
      const places = [...changes.keys()].filter((place) => changes[place]?.kind === kind);
      if (places.length === 0) continue;
      const found = await source.current(
        this.reader,
        places.map((place) => subjectOf(changes[place] as Change)),
      );
      places.forEach((place, index) => (states[place] = found[index] ?? null));
    }
    return states;
  }
}

/** The account of a change. The change of an erasure belongs to no account; its subject is the account number. */
function refOf({ kind, account, subject }: Change): number | null {
  return kind === 'erasure' ? Number(subject) : account;
}

function subjectOf({ account, subject, resource, provider, samples }: Change): ChangedSubject {
  return { account, subject, resource, provider, start: samples?.start ?? null, end: samples?.end ?? null };
}

function entryOf(change: Change, feed: string): Omit<ChangeDto, 'account_id' | 'account_ref'> {
  const { number, at, kind, action, origin, subject, resource, provider, samples } = change;
  const cursor = cursorOf({ feed, number, at });
  const range = samples && {
    start: toIso(samples.start),
    end: toIso(samples.end),
    count: samples.count,
    first_day: dateOf(samples.firstDay * DAY_MS),
    last_day: dateOf(samples.lastDay * DAY_MS),
  };
  return { id: cursor, cursor, time: toIso(at), kind, action, origin, subject, resource, provider, samples: range };
}
