interface Line {
  readonly worker?: string;
  readonly error?: string;
  readonly code?: string;
}

/**
 * Worker rounds that failed although the database was available, with counts by kind, from the log of a process.
 * Upstream's failures are outcomes of the work; they must not make a round fail.
 */
export function failedRounds(log: string): string[] {
  const counts = new Map<string, number>();
  for (const text of log.split('\n')) {
    if (!text.includes('"worker.round_failed"')) continue;
    const line = lineOf(text);
    if (!line || line.code === 'storage_unavailable') continue;
    const kind = [line.worker, line.error, line.code].filter((part) => part !== undefined).join(' ');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `rounds failed: ${kind} (${count})`);
}

/** Null for an incomplete line, the last one of a killed process. */
function lineOf(text: string): Line | null {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}
