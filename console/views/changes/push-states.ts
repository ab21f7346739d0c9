import type { PushDto, SubscriptionDto } from '../../lib/api.js';
import { everyOf } from '../../lib/every.js';
import type { State } from '../../lib/states.js';

export const pushStates = everyOf<PushDto['state']>()(['waiting', 'delivered', 'given_up']);

const states: Readonly<Record<PushDto['state'], State>> = {
  waiting: 'waiting',
  delivered: 'received',
  given_up: 'failed',
};

export function stateOfPush(state: PushDto['state']): State {
  return states[state];
}

type Standing = Pick<SubscriptionDto, 'state' | 'reason' | 'failing_since'>;

export function stateOfSubscription({ state, reason, failing_since }: Standing): State {
  if (state === 'disabled') return reason === 'operator' ? 'gone' : 'failed';
  return failing_since === null ? 'received' : 'waiting';
}

/** active, failing, or why it is disabled. */
export function standingOf({ state, reason, failing_since }: Standing): string {
  if (state === 'disabled') return `disabled: ${(reason ?? 'unknown').replaceAll('_', ' ')}`;
  return failing_since === null ? 'active' : 'failing';
}
