/** Days for which samples are kept, by resource; '' stands for all other resources, null for ever. */
export class KeepDays {
  constructor(private readonly days: ReadonlyMap<string, number | null>) {}

  /** Null: for ever. */
  of(resource: string): number | null {
    const own = this.days.get(resource);
    return own === undefined ? (this.days.get('') ?? null) : own;
  }

  /** The resources that are named. */
  get named(): readonly string[] {
    return [...this.days.keys()].filter((name) => name !== '');
  }

  /** As it is configured. */
  toString(): string {
    const word = (days: number | null): string => (days === null ? 'all' : String(days));
    return Array.from(this.days, ([name, days]) => (name === '' ? word(days) : `${name}=${word(days)}`)).join(',');
  }
}
