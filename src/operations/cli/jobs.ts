import type { AccountImportDto } from '../../accounts/import/account-imports.dto.js';
import type { AuditDto } from '../../ingest/audits/audits.dto.js';
import type { MessageDto } from '../../ingest/inbox/messages.dto.js';
import type { ReplayDto } from '../../ingest/inbox/replays.dto.js';
import type { RecoveryDto } from '../../ingest/recoveries/recoveries.dto.js';
import type { ErasureDto } from '../../privacy/erasure/erasures.dto.js';
import type { Query } from './admin-client.js';
import type { Progress } from './progress.js';

/** The way in which a job in the background is followed. */
export interface Following<Job = never> {
  readonly progress: (job: Job) => Progress;
  readonly ended: (job: Job) => boolean;
  /** Of a job that has ended: it did all that was asked. */
  readonly good: (job: Job) => boolean;
  /** Parameters of the call that returns the job. */
  readonly query?: Query;
}

const accountImport: Following<AccountImportDto> = {
  progress({ users_seen, users_total, adopted, refused, unknown_upstream, failures, last_error, ...job }) {
    const of = users_total === null ? '' : ` of ${users_total}`;
    const failure = failures === 0 ? '' : `, deferred after ${last_error}`;
    const found = `${adopted} adopted, ${refused} refused, ${unknown_upstream} local only`;
    const counts = `${users_seen}${of} users, ${found}${failure}`;
    return { label: 'import', share: job.share_done, counts, estimatedEnd: job.estimated_end };
  },
  ended: ({ state }) => state !== 'running',
  good: ({ state, stable, refused, unknown_upstream }) =>
    state === 'done' && stable !== false && refused === 0 && unknown_upstream === 0,
};

const recovery: Following<RecoveryDto> = {
  progress({ state, done, planned, failed, calls, share_done: share, estimated_end: estimatedEnd }) {
    const counts = `${done} of ${planned} pulls, ${failed} failed, ${calls} calls`;
    return { label: `recovery ${state}`, share, counts, estimatedEnd };
  },
  ended: ({ state }) => state === 'done',
  good: ({ failed }) => failed === 0,
};

const audit: Following<AuditDto> = {
  progress({ state, days_total, days_compared, proven, different, held, share_done: share }) {
    const found = `${proven} equal, ${different} different, ${held} held`;
    const counts = `${days_compared} of ${days_total} days compared, ${found}`;
    return { label: `audit ${state}`, share, counts, estimatedEnd: null };
  },
  ended: ({ finished_at }) => finished_at !== null,
  good({ state, days_total, days_compared, different, held }) {
    return state === 'done' && days_compared === days_total && different + held === 0;
  },
};

const replay: Following<ReplayDto> = {
  progress({ state, count, left }) {
    const tried = count - left;
    const share = count === 0 ? 1 : tried / count;
    return { label: `replay ${state}`, share, counts: `${tried} of ${count} messages tried`, estimatedEnd: null };
  },
  ended: ({ finished_at }) => finished_at !== null,
  good: ({ state, retrying, failed }) => state === 'done' && retrying + failed === 0,
};

/**
 * Without the body, which is health data. A replay clears the reason of the last failure; the next failure sets one.
 */
const message: Following<MessageDto> = {
  query: { body: 'false' },
  progress: ({ status }) => ({ label: 'replay', share: null, counts: status, estimatedEnd: null }),
  ended: ({ status, reason }) => status !== 'retry' || reason !== null,
  good: ({ status }) => status === 'done' || status === 'ignored',
};

/** `waiting`: everything is deleted; a check a week later verifies that nothing reappeared. */
const erasureShares: Readonly<Record<ErasureDto['state'], number>> = {
  requested: 0,
  deleting: 0.25,
  upstream: 0.75,
  waiting: 1,
  done: 1,
};

const erasure: Following<ErasureDto> = {
  progress({ state, deleted, error_code }) {
    const rows = Object.values(deleted).reduce((sum, count) => sum + count, 0);
    const counts = `${rows} rows deleted${error_code === null ? '' : `, last failure ${error_code}`}`;
    return { label: `erasure ${state}`, share: erasureShares[state], counts, estimatedEnd: null };
  },
  ended: ({ state }) => erasureShares[state] === 1,
  good: () => true,
};

/** By the schema of the job. */
export const followings: Readonly<Record<string, Following>> = {
  AccountImportDto: accountImport,
  RecoveryDto: recovery,
  AuditDto: audit,
  ReplayDto: replay,
  MessageDto: message,
  ErasureDto: erasure,
};
