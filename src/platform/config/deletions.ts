import { InvalidValue, list } from './parsers.js';
import type { Parse } from './setting.js';

/**
 * Treatment of records that complete looks no longer show. apply: hide them · observe: only count them · off: do not
 * look for them.
 */
export const deletionModes = ['apply', 'observe', 'off'] as const;
export type DeletionMode = (typeof deletionModes)[number];

/** A look with fewer differences is never held, whatever their share. */
export const MIN_HELD = 10;

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

/** A mode for all providers, and `provider:mode` for single ones. */
export const deletions: Parse<Deletions> = (value) => {
  const wanted = new InvalidValue(
    `must be one of ${deletionModes.join(', ')}, optionally with entries slug:mode for single providers`,
  );
  const entries = list((part) => part.split(':'))(value).map((words) => {
    const [provider, word] = words.length === 1 ? ['', words[0]] : words;
    const mode = deletionModes.find((candidate) => candidate === word);
    if (mode === undefined || words.length > 2 || !/^[a-z0-9_]{0,100}$/.test(provider ?? '')) throw wanted;
    return [provider ?? '', mode] as const;
  });
  const modes = new Map(entries);
  if (modes.size !== entries.length || !modes.has('')) throw wanted;
  return new Deletions(modes);
};
