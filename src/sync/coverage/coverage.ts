/** A stretch of time known to have been pulled whole, and when the pull that confirmed it began. Epoch milliseconds. */
export interface Covered {
  readonly start: number;
  readonly end: number;
  readonly confirmedAt: number;
}

/**
 * The same time in as few stretches as possible, by rising start: overlapping and touching ones become one, with the
 * older confirmation of the two, so that it holds for all of it. Empty stretches vanish.
 */
export function merge(stretches: readonly Covered[]): Covered[] {
  const sorted = stretches.filter(({ start, end }) => start < end).sort((a, b) => a.start - b.start);
  const merged: Covered[] = [];
  for (const stretch of sorted) {
    const last = merged.at(-1);
    if (!last || last.end < stretch.start) {
      merged.push(stretch);
      continue;
    }
    merged[merged.length - 1] = {
      start: last.start,
      end: Math.max(last.end, stretch.end),
      confirmedAt: Math.min(last.confirmedAt, stretch.confirmedAt),
    };
  }
  return merged;
}

/** The parts of `window` that no stretch covers, by rising start. */
export function subtract(
  window: { readonly start: number; readonly end: number },
  stretches: readonly Covered[],
): { start: number; end: number }[] {
  const gaps: { start: number; end: number }[] = [];
  let from = window.start;
  for (const { start, end } of merge(stretches)) {
    if (end <= from) continue;
    if (start >= window.end) break;
    if (start > from) gaps.push({ start: from, end: start });
    from = end;
  }
  if (from < window.end) gaps.push({ start: from, end: window.end });
  return gaps;
}

/** True when every instant of the window is covered. */
export function covers(
  stretches: readonly Covered[],
  window: { readonly start: number; readonly end: number },
): boolean {
  return subtract(window, stretches).length === 0;
}
