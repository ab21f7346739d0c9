import type { State } from '../parts/state.js';
import type { MessageDto } from './api.js';

export const messageStatuses = [
  'received',
  'retry',
  'dead',
  'ignored',
  'done',
] as const satisfies readonly MessageDto['status'][];

const states: Readonly<Record<MessageDto['status'], State>> = {
  received: 'waiting',
  retry: 'waiting',
  dead: 'failed',
  ignored: 'gone',
  done: 'received',
};

export function stateOfMessage(status: MessageDto['status']): State {
  return states[status];
}

export const taskStatuses = ['pending', 'running', 'failed', 'done'] as const;

export function stateOfTask(status: (typeof taskStatuses)[number]): State {
  if (status === 'failed') return 'failed';
  return status === 'done' ? 'received' : 'waiting';
}
