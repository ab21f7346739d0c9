import type { ReactNode } from 'react';
import type { State } from '../../lib/states.js';
import { StateMark } from '../../parts/state.js';

const marks: Readonly<Record<string, State>> = {
  active: 'received',
  connected: 'received',
  pending: 'waiting',
  paused: 'waiting',
  blocked: 'failed',
  error: 'failed',
  user_gone: 'failed',
  erasing: 'gone',
  disconnected: 'gone',
};

/** The status of an account or of a source. */
export function StatusMark({
  status,
  children,
}: {
  readonly status: string;
  readonly children?: ReactNode;
}): ReactNode {
  return <StateMark state={marks[status] ?? 'unknown'}>{children ?? status.replaceAll('_', ' ')}</StateMark>;
}
