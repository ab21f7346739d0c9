/**
 * received: at least one record of the day is stored · confirmed_empty: none is stored, and there is proof that none is
 * missing (ingest/streams/proof.ts) · pending: a pull over it, ours or upstream's, is open or due · failed_upstream:
 * upstream could not read the source · unknown: not enough evidence.
 */
export const dayStates = ['received', 'confirmed_empty', 'pending', 'failed_upstream', 'unknown'] as const;
export type DayState = (typeof dayStates)[number];

/** Reasons why a day is complete or incomplete, in the order in which they are checked. */
export const dayReasons = [
  'not_begun',
  'outside_ingestion',
  'upstream_pull_failed',
  'connection_error',
  'pull_open',
  'upstream_pull_open',
  'not_over',
  'points_rejected',
  'whole',
  'pull_due',
  'resource_unavailable',
  'pull_failed',
  'disconnected',
  'not_synced',
  'never_pulled',
  'late_data_possible',
  'connection_gap',
  'not_heard_since',
  'not_proven',
] as const;
export type DayReason = (typeof dayReasons)[number];

/** Facts about one day of one source and resource. */
export interface DayFacts {
  /** Stored records of the day. */
  readonly records: number;
  /** Position of the person's day relative to now. */
  readonly phase: 'ahead' | 'running' | 'over';
  /** Within the bounds in which upstream ingests data of the account. */
  readonly ingested: boolean;
  /** Failure at upstream that affects the day. */
  readonly failure: 'pull' | 'connection' | null;
  /** Sources whose pull over the day is unfinished. */
  readonly open: 'ours' | 'upstream' | null;
  /**
   * Pull state of the full day. `settled`: pulled long enough after the day to include late uploads of devices;
   * `proven`: in addition, our own pull proves that nothing is missing (ingest/streams/proof.ts).
   */
  readonly pulled: 'no' | 'fresh' | 'settled' | 'proven';
  /** The source was disconnected at some time between the day and our pull of it, so the pull proves nothing. */
  readonly broken: boolean;
  /** The source has sent no data later than the day. */
  readonly unheard: boolean;
  /** The next regular pull of the stream will include the day. */
  readonly due: boolean;
  /** Upstream reports that the source does not deliver this resource. */
  readonly unavailable: boolean;
  /** Our pull over the day failed permanently. */
  readonly gaveUp: boolean;
  /** Upstream sent data of the day that cannot be stored. */
  readonly rejected: boolean;
  /** Upstream pulled a history that we do not fetch, because the resource is not in SYNC_RESOURCES. */
  readonly notSynced: boolean;
  /** The source was connected once and is now disconnected. */
  readonly gone: boolean;
}

export interface DayVerdict {
  readonly state: DayState;
  /** There is proof that nothing is missing. */
  readonly whole: boolean;
  readonly reason: DayReason;
}

type Without = Exclude<DayState, 'received'>;

/** The first rule that holds decides a day without records. Completeness does not depend on stored records. */
const rules: readonly { reason: DayReason; state: Without; holds: (day: DayFacts) => boolean }[] = [
  { reason: 'not_begun', state: 'unknown', holds: ({ phase }) => phase === 'ahead' },
  { reason: 'outside_ingestion', state: 'unknown', holds: ({ ingested }) => !ingested },
  { reason: 'upstream_pull_failed', state: 'failed_upstream', holds: ({ failure }) => failure === 'pull' },
  { reason: 'connection_error', state: 'failed_upstream', holds: ({ failure }) => failure === 'connection' },
  { reason: 'pull_open', state: 'pending', holds: ({ open }) => open === 'ours' },
  { reason: 'upstream_pull_open', state: 'pending', holds: ({ open }) => open === 'upstream' },
  { reason: 'not_over', state: 'pending', holds: ({ phase, gone }) => phase === 'running' && !gone },
  { reason: 'points_rejected', state: 'unknown', holds: ({ rejected }) => rejected },
  {
    reason: 'whole',
    state: 'confirmed_empty',
    holds: ({ phase, pulled }) => phase === 'over' && pulled === 'proven',
  },
  { reason: 'pull_due', state: 'pending', holds: ({ due }) => due },
  { reason: 'resource_unavailable', state: 'unknown', holds: ({ unavailable }) => unavailable },
  { reason: 'pull_failed', state: 'unknown', holds: ({ gaveUp, pulled }) => gaveUp && pulled === 'no' },
  { reason: 'disconnected', state: 'unknown', holds: ({ gone }) => gone },
  { reason: 'not_synced', state: 'unknown', holds: ({ notSynced, pulled }) => notSynced && pulled === 'no' },
  { reason: 'never_pulled', state: 'unknown', holds: ({ pulled }) => pulled === 'no' },
  { reason: 'late_data_possible', state: 'unknown', holds: ({ pulled }) => pulled === 'fresh' },
  { reason: 'connection_gap', state: 'unknown', holds: ({ broken }) => broken },
  { reason: 'not_heard_since', state: 'unknown', holds: ({ unheard }) => unheard },
  { reason: 'not_proven', state: 'unknown', holds: () => true },
];

/** Derives the state of a day. A day is complete only with proof, whether or not it has records. */
export function dayVerdict(day: DayFacts): DayVerdict {
  const rule = rules.find(({ holds }) => holds(day));
  const { reason, state } = rule ?? { reason: 'not_proven' as const, state: 'unknown' as const };
  return { state: day.records > 0 ? 'received' : state, whole: reason === 'whole', reason };
}
