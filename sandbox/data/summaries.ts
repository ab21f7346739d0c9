import type { SummaryObject } from './summary-makers.js';

export interface StoredSummary {
  provider: string;
  /** Time that the query window applies to; midnight UTC if the field is a date. */
  at: number;
  hidden: boolean;
  object: SummaryObject & { id: string; updated_at: string };
}

/** All summary objects, per user and resource, by id: the latest version replaces the earlier one. */
export class Summaries {
  private rows = new Map<string, Map<string, StoredSummary>>();

  /** For a restart (state.ts). */
  keep(): Map<string, Map<string, StoredSummary>> {
    return this.rows;
  }

  restore(kept: Map<string, Map<string, StoredSummary>>): void {
    this.rows = kept;
  }

  put(userId: string, resource: string, row: StoredSummary): void {
    this.of(userId, resource).set(row.object.id, row);
  }

  remove(userId: string, resource: string, id: string): void {
    this.of(userId, resource).delete(id);
  }

  find(userId: string, resource: string, id: string): StoredSummary | undefined {
    return this.of(userId, resource).get(id);
  }

  /** Visible rows in order of time, then id. */
  visible(userId: string, resource: string): StoredSummary[] {
    return [...this.of(userId, resource).values()]
      .filter((row) => !row.hidden)
      .sort((a, b) => a.at - b.at || a.object.id.localeCompare(b.object.id));
  }

  hidden(userId: string, resource: string, provider: string): StoredSummary[] {
    return [...this.of(userId, resource).values()].filter((row) => row.hidden && row.provider === provider);
  }

  private of(userId: string, resource: string): Map<string, StoredSummary> {
    const key = `${userId}|${resource}`;
    const known = this.rows.get(key) ?? new Map<string, StoredSummary>();
    this.rows.set(key, known);
    return known;
  }
}
