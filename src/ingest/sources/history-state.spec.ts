import { historyState } from './history-state.js';

describe('the history of a source and resource', () => {
  it.each([
    ['scheduled', { status: 'scheduled', days_with_data: 0 }, null, 'pending'],
    ['in progress', { status: 'in_progress', days_with_data: 0 }, null, 'pending'],
    ['retrying', { status: 'retrying', days_with_data: 3 }, null, 'pending'],
    ['an unknown status', { status: 'paused_by_moon', days_with_data: 3 }, 'done', 'pending'],
    ['failure', { status: 'failure', days_with_data: 0 }, null, 'failed'],
    ['failure after an earlier pull was stored', { status: 'failure', days_with_data: 9 }, 'done', 'failed'],
    ['not pulled at all', { status: 'not_pulled', days_with_data: null }, null, 'not_pulled'],
    ['success without a count, as from an event', { status: 'success', days_with_data: null }, 'done', 'unknown'],
    ['success without data', { status: 'success', days_with_data: 0 }, null, 'unknown'],
    ['success without data, whose range we pulled', { status: 'success', days_with_data: 0 }, 'done', 'unknown'],
    ['success without a task', { status: 'success', days_with_data: 4 }, null, 'pending'],
    ['success reported by an event only', { status: 'success', days_with_data: null }, 'pending', 'pending'],
    ['success being fetched', { status: 'success', days_with_data: 4 }, 'running', 'pending'],
    ['success fetched completely', { status: 'success', days_with_data: 4 }, 'done', 'complete'],
    ['success that could not be fetched', { status: 'success', days_with_data: 4 }, 'failed', 'failed'],
  ] as const)('%s [introspection#pull-statuses]', (_, pull, task, state) => {
    expect(historyState({ provider: 'oura', ...pull }, task)).toBe(state);
  });

  it.each([
    ['success with data', 'success', 3, null, 'not_synced'],
    ['success without data', 'success', 0, null, 'not_synced'],
    ['in progress', 'in_progress', 0, null, 'not_synced'],
    ['failure', 'failure', 0, null, 'failed'],
    ['success fetched while it was synced', 'success', 3, 'done', 'complete'],
  ] as const)('of a resource that is not synced, %s', (_, status, days_with_data, task, state) => {
    expect(historyState({ provider: 'oura', status, days_with_data }, task, false)).toBe(state);
  });

  it.each(['apple_health_kit', 'garmin', 'health_connect', 'samsung_health'])(
    'of %s arrives after upstream counted it, so its completeness is never known [webhooks#historical-completion]',
    (provider) => {
      const pull = { provider, status: 'success', days_with_data: 9 };
      expect(historyState(pull, 'done')).toBe('unknown');
      expect(historyState(pull, 'running')).toBe('pending');
    },
  );
});
