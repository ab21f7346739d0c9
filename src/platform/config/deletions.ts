/**
 * Treatment of records that complete looks no longer show. apply: hide them · observe: only count them · off: do not
 * look for them.
 */
export const deletionModes = ['apply', 'observe', 'off'] as const;
export type DeletionMode = (typeof deletionModes)[number];

/** Deletion mode by provider; '' stands for all other providers. */
export class Deletions {
  constructor(private readonly modes: ReadonlyMap<string, DeletionMode>) {}

  of(provider: string): DeletionMode {
    return this.modes.get(provider) ?? this.modes.get('') ?? 'apply';
  }

  /** As it is configured. */
  toString(): string {
    return Array.from(this.modes, ([provider, mode]) => (provider === '' ? mode : `${provider}:${mode}`)).join(',');
  }
}
