import type { State } from '../parts/state.js';
import type { MessageDto, TaskDto } from './api.js';
import { everyOf } from './every.js';

export const messageStatuses = everyOf<MessageDto['status']>()(['received', 'retry', 'dead', 'ignored', 'done']);

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

export const taskStatuses = everyOf<TaskDto['status']>()(['pending', 'running', 'failed', 'done']);

export function stateOfTask(status: TaskDto['status']): State {
  if (status === 'failed') return 'failed';
  return status === 'done' ? 'received' : 'waiting';
}
