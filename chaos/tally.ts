/** Counts of injected faults and observations, by name. */
export class Tally {
  private readonly counts = new Map<string, number>();

  add(name: string, count = 1): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** `name 3, other 1`, by name. */
  text(): string {
    const entries = [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([name, count]) => `${name} ${count}`).join(', ') || 'nothing';
  }
}
