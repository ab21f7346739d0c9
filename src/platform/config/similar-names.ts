/** From this similarity on, a name is taken for a misspelled one. */
const MIN_SIMILARITY = 0.4;

/** The name most similar to a given one, from this similarity (0 to 1) on; undefined if none is. */
export function nearestName(name: string, names: Iterable<string>, least = MIN_SIMILARITY): string | undefined {
  const parts = partsOf(name);
  let best: string | undefined;
  let most = least;
  for (const candidate of names) {
    const shared = similarity(parts, partsOf(candidate));
    if (shared < most || (shared === most && best !== undefined)) continue;
    [best, most] = [candidate, shared];
  }
  return best;
}

/** All trigrams of the name without its separators, with its ends marked. */
function partsOf(name: string): ReadonlySet<string> {
  const letters = name.replace(/[\s_-]/g, '');
  return new Set(Array.from(letters, (_, index) => `_${letters}_`.slice(index, index + 3)));
}

/** Dice coefficient. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = [...one].filter((part) => other.has(part)).length;
  return (2 * shared) / (one.size + other.size);
}
