import { historyState } from './history-state.js';

describe('the history of a source and resource', () => {
  it.each([
    ['no record of a pull', null, 'unknown'],
    ['scheduled', { status: 'scheduled', days_with_data: 0, task: null }, 'pending'],
    ['in progress', { status: 'in_progress', days_with_data: 0, task: null }, 'pending'],
    ['retrying', { status: 'retrying', days_with_data: 3, task: null }, 'pending'],
    ['a word nobody knows', { status: 'paused_by_moon', days_with_data: 3, task: 'done' }, 'pending'],
    ['failure', { status: 'failure', days_with_data: 0, task: null }, 'failed'],
    ['failure after an earlier pull was stored', { status: 'failure', days_with_data: 9, task: 'done' }, 'failed'],
    ['success without data', { status: 'success', days_with_data: 0, task: null }, 'complete'],
    ['success that was not taken up', { status: 'success', days_with_data: 4, task: null }, 'pending'],
    ['success told by the event alone', { status: 'success', days_with_data: null, task: 'pending' }, 'pending'],
    ['success being fetched', { status: 'success', days_with_data: 4, task: 'running' }, 'pending'],
    ['success fetched whole', { status: 'success', days_with_data: 4, task: 'done' }, 'complete'],
    ['success that could not be fetched', { status: 'success', days_with_data: 4, task: 'failed' }, 'failed'],
  ] as const)('%s', (_, pull, state) => {
    expect(historyState(pull)).toBe(state);
  });
});
