import type { StoredRecord } from '../harness/compare.js';
import type { World } from './world.js';

interface Entry {
  readonly cursor: string;
  readonly kind: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly subject: string;
  readonly resource: string | null;
  readonly samples: { readonly start: string; readonly end: string } | null;
}

interface Page {
  readonly data: readonly Entry[];
  readonly next: string;
  readonly up_to_date: boolean;
}

/** The change feed of a run from the first change, as read by a consumer without values. */
export class FollowedFeed {
  /** Changes whose number is not greater than the previous one. */
  misplaced = 0;
  /** Missing numbers, including those of erased people. */
  missing = 0;
  private last = 0;
  /** Current state by account name. */
  private readonly subjects = new Map<string, Set<string>>();
  private readonly ranges = new Map<string, { readonly start: string; readonly end: string }[]>();

  /** Null if it could not be read completely. */
  static async read(world: World): Promise<FollowedFeed | null> {
    const feed = new FollowedFeed();
    let after = '';
    for (;;) {
      const query = new URLSearchParams({ limit: '500', ...(after === '' ? {} : { after }) }).toString();
      const { status, body } = await world.feed<Page>(query);
      if (status !== 200) return null;
      for (const entry of body.data) feed.take(entry);
      if (body.up_to_date) return feed;
      after = body.next;
    }
  }

  /** Subjects of a kind that currently exist. */
  held(account: string, kind: string): ReadonlySet<string> {
    return this.subjects.get(`${account} ${kind}`) ?? new Set();
  }

  /** True if a change is about a stored record. */
  tells(account: string, resource: string, { time, data }: StoredRecord): boolean {
    if (data) return this.held(account, 'summary').has(String(data['id']));
    return (this.ranges.get(`${account} ${resource}`) ?? []).some(({ start, end }) => start <= time && time <= end);
  }

  private take({ cursor, kind, action, account_id: account, subject, resource, samples }: Entry): void {
    const number = parseInt(cursor.split('-')[1] ?? '', 36);
    if (number <= this.last) this.misplaced += 1;
    this.missing += Math.max(0, number - this.last - 1);
    this.last = number;
    if (account === null) return;
    if (samples) {
      const name = `${account} ${resource}`;
      const known = this.ranges.get(name) ?? [];
      known.push(samples);
      this.ranges.set(name, known);
      return;
    }
    const name = `${account} ${kind}`;
    const held = this.subjects.get(name) ?? new Set();
    this.subjects.set(name, held);
    if (action === 'gone') held.delete(subject);
    else held.add(subject);
  }
}
