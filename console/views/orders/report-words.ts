import type { ParsingJobDto } from '../../lib/api.js';
import type { State } from '../../lib/states.js';

export interface ReportWords {
  readonly state: State;
  readonly words: string;
  /** What a person does; null if nothing. */
  readonly act: string | null;
}

/** State of a lab report that upstream parses, and what a person does about it. */
export function reportWords({ status, read }: Pick<ParsingJobDto, 'status' | 'read'>): ReportWords {
  if (status === 'completed') return { state: 'received', words: 'parsed', act: null };
  if (status === 'failed') return { state: 'failed', words: 'could not be parsed', act: 'Upload a better file' };
  if (read !== null && read.due_at === null) {
    return { state: 'unknown', words: 'its end could not be read', act: 'Ask upstream, or upload it again' };
  }
  return { state: 'waiting', words: status?.replaceAll('_', ' ') ?? 'being parsed', act: null };
}
