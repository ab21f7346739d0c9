/**
 * received: at least one record of the day is stored · confirmed_empty: none is, and there is proof that none is
 * missing · pending: a pull over it, ours or upstream's, is open or due · failed_upstream: upstream could not read the
 * source · unknown: nobody can say.
 */
export const dayStates = ['received', 'confirmed_empty', 'pending', 'failed_upstream', 'unknown'] as const;
export type DayState = (typeof dayStates)[number];

/** Why a day is, or is not, whole; in the order in which they are checked. */
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
  'not_proven',
] as const;
export type DayReason = (typeof dayReasons)[number];

/** What is known of one day of one source and resource. */
export interface DayFacts {
  /** Stored records of the day. */
  readonly records: number;
  /** Where now is: before the day, in it or behind it, by UTC. */
  readonly phase: 'ahead' | 'running' | 'over';
  /** Within the bounds in which upstream ingests data of the account. */
  readonly ingested: boolean;
  /** What went wrong at upstream over the day. */
  readonly failure: 'pull' | 'connection' | null;
  /** Whose pull over the day has not ended. */
  readonly open: 'ours' | 'upstream' | null;
  /** How the day was pulled: at all of it, and so long after it that what devices send late is in it. */
  readonly pulled: 'no' | 'fresh' | 'settled';
  /**
   * Upstream's word for all of the day: its pull of history was whole there, or the source was connected and delivers
   * this resource.
   */
  readonly proven: boolean;
  /** The next regular pull of the stream will include the day. */
  readonly due: boolean;
  /** Upstream says that the source does not deliver this resource. */
  readonly unavailable: boolean;
  /** A pull of ours over the day was given up. */
  readonly gaveUp: boolean;
  /** Upstream sent something of the day that cannot be stored. */
  readonly rejected: boolean;
  /** Upstream has pulled a history that we do not fetch, since the resource is not among SYNC_RESOURCES. */
  readonly notSynced: boolean;
  /** The source was connected once and is no more. */
  readonly gone: boolean;
}

export interface DayVerdict {
  readonly state: DayState;
  /** Nothing is missing, as far as anybody can know. */
  readonly whole: boolean;
  readonly reason: DayReason;
}

type Without = Exclude<DayState, 'received'>;

/** What decides a day without records: the first that holds. Wholeness does not depend on what is stored. */
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
    holds: ({ phase, pulled, proven }) => phase === 'over' && pulled === 'settled' && proven,
  },
  { reason: 'pull_due', state: 'pending', holds: ({ due }) => due },
  { reason: 'resource_unavailable', state: 'unknown', holds: ({ unavailable }) => unavailable },
  { reason: 'pull_failed', state: 'unknown', holds: ({ gaveUp, pulled }) => gaveUp && pulled === 'no' },
  { reason: 'disconnected', state: 'unknown', holds: ({ gone }) => gone },
  { reason: 'not_synced', state: 'unknown', holds: ({ notSynced, pulled }) => notSynced && pulled === 'no' },
  { reason: 'never_pulled', state: 'unknown', holds: ({ pulled }) => pulled === 'no' },
  { reason: 'late_data_possible', state: 'unknown', holds: ({ pulled }) => pulled === 'fresh' },
  { reason: 'not_proven', state: 'unknown', holds: () => true },
];

/** What can be said of a day. Without records it is complete only with proof from both us and upstream. */
export function dayVerdict(day: DayFacts): DayVerdict {
  const rule = rules.find(({ holds }) => holds(day));
  const { reason, state } = rule ?? { reason: 'not_proven' as const, state: 'unknown' as const };
  return { state: day.records > 0 ? 'received' : state, whole: reason === 'whole', reason };
}
