import type { MessageStatus } from './message.entity.js';

/** How an attempt at a message ended. */
export interface Outcome {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: MessageStatus;
  readonly reason: string | null;
}

const MAX_KEPT = 20;

/*
 * Earlier outcomes of a message are one text: "AT STATUS REASON", oldest first, separated by semicolons. Attempts that
 * fail again for the same reason replace the one before. A replay appends the last outcome in SQL.
 */

/** SQL for the column after a replay: with the outcome that the replay removes from the row. */
export const withReplayed = `CASE WHEN finished_at IS NULL THEN outcomes ELSE
  CASE WHEN outcomes IS NULL OR LENGTH(outcomes) > 2000 THEN '' ELSE outcomes || ';' END
  || CAST(finished_at AS TEXT) || ' ' || status || ' ' || COALESCE(reason, '') END`;

export function outcomesIn(text: string | null): Outcome[] {
  return (text ?? '').split(';').flatMap((part) => {
    const [at = '', status, reason] = part.split(' ');
    return status === undefined ? [] : [{ at: Number(at), status: status as MessageStatus, reason: reason || null }];
  });
}

/** The text with another outcome; keeps the newest 20. */
export function withOutcome(text: string | null, { at, status, reason }: Outcome): string {
  const before = outcomesIn(text);
  const last = before.at(-1);
  const kept = last?.status === status && last.reason === reason ? before.slice(0, -1) : before;
  const all = [...kept, { at, status, reason }].slice(-MAX_KEPT);
  return all.map((one) => `${one.at} ${one.status} ${one.reason ?? ''}`).join(';');
}

const advice: Readonly<Record<string, string>> = {
  not_json: 'A replay cannot help: the body is not JSON.',
  no_event_type: 'A replay cannot help: the body names no event type.',
  names_no_order: 'A replay cannot help: the event names no order.',
  nested_too_deep: 'A replay cannot help: the body is nested too deeply to be read.',
  needs_too_much_memory: 'A replay cannot help: the body is too large to be read.',
  too_large: 'A replay helps only with a larger WEBHOOK_MAX_BYTES.',
  damaged_gzip: 'A replay cannot help: the compressed body is damaged. Report it to upstream.',
  unreadable_data: 'A replay cannot help: the data does not have the documented form. Report it to upstream.',
  user_mismatch: 'A replay cannot help: the envelope and the data name different users. Report it to upstream.',
  foreign_team: 'A replay cannot help: the message is for another team. Check the webhook endpoint upstream.',
  body_not_kept: 'A replay cannot help: the body was not kept.',
  account_erased: 'A replay cannot help: the person was erased.',
  unknown_event: 'A replay helps only after an update of this service that knows the event type.',
  unknown_resource: 'A replay helps only after an update of this service that knows the resource.',
  not_stored: 'A replay helps only after an update of this service that stores this event.',
  unknown_user: 'A replay helps once upstream has the user and the user has an account here.',
};

/** When a replay of a message with this outcome can help; null if nothing speaks against it. */
export function replayAdvice(status: MessageStatus, reason: string | null): string | null {
  return status === 'dead' || status === 'ignored' ? (advice[reason ?? ''] ?? null) : null;
}
