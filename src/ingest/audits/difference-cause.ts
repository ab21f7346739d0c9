import type { DayProofEntity, DifferenceCause } from './audit.entity.js';
import type { ComparedDay } from './day-comparison.js';

/*
 * Why a day differed. Only what is certainly a fault of this program is called one (`mapping`, `lost`), because it
 * raises an alarm:
 *
 * mapping           a complete pull of the day did not make it equal, and upstream's list was the same before and after
 * lost              upstream's list is the one that was proven before, so what is stored has changed
 * rejected          records of the day cannot be stored; the rejected records have the reason
 * late              no pull has read the day completely since devices have sent their data
 * upstream_changed  anything else: upstream has added, changed or deleted data since the last pull of the day
 */

export interface KnownOfDay {
  readonly before: Pick<DayProofEntity, 'state' | 'hash' | 'cause'> | null;
  /** Pulled completely after devices had time to send. */
  readonly isSettled: boolean;
  readonly isRejected: boolean;
}

export function causeOf({ hash }: Pick<ComparedDay, 'hash'>, { before, ...known }: KnownOfDay): DifferenceCause {
  const isSame = before?.hash === hash;
  if (known.isRejected) return 'rejected';
  if (isSame && before.state === 'proven') return 'lost';
  if (isSame && (before.cause === 'mapping' || before.cause === 'lost')) return before.cause;
  return known.isSettled ? 'upstream_changed' : 'late';
}

/** Outcome of the repair of a day. */
export interface Repaired {
  readonly row: Pick<DayProofEntity, 'hash' | 'cause' | 'looks'>;
  readonly day: ComparedDay;
  /** The pull read the day completely. */
  readonly isPulled: boolean;
  /** Records of the source that upstream no longer shows are hidden. */
  readonly hidesGone: boolean;
}

/** After so many looks, a day that changes all the time stays as it is. */
const MAX_LOOKS = 3;

/** Next step for a day that was pulled and compared again. */
export function afterRepair({ row, day, isPulled, hidesGone }: Repaired): RepairVerdict {
  if (day.isEqual) return { then: 'proven', cause: row.cause };
  const isSame = row.hash === day.hash;
  const isGone = day.differences.every(({ kind }) => kind === 'extra');
  const mayTry = row.looks < MAX_LOOKS;
  if (mayTry && !isSame) return { then: 'pull', cause: row.cause };
  // A record is hidden once a second complete look does not show it.
  if (mayTry && isGone && hidesGone && isPulled) return { then: 'wait', cause: row.cause };
  const isOurs = isSame && isPulled && !isGone && row.cause !== 'rejected';
  return { then: 'different', cause: isOurs ? 'mapping' : row.cause };
}

export interface RepairVerdict {
  readonly then: 'proven' | 'pull' | 'wait' | 'different';
  readonly cause: DifferenceCause | null;
}
