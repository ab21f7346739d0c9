import { nextPollDelay } from './next-poll-delay.js';

const now = Date.UTC(2026, 10, 20);
const minute = 60_000;

describe('the next poll of an account’s sources', () => {
  it.each([
    ['no pulls', [], null],
    [
      'only ended ones',
      [
        { status: 'success', scheduled_at: now - 5 },
        { status: 'failure', scheduled_at: now - 5 },
      ],
      null,
    ],
    ['one just scheduled', [{ status: 'scheduled', scheduled_at: now - 1_000 }], 30_000],
    [
      'one that has been open for ten minutes',
      [{ status: 'in_progress', scheduled_at: now - 10 * minute }],
      5 * minute,
    ],
    ['one that has been open for a day', [{ status: 'retrying', scheduled_at: now - 1_440 * minute }], 15 * minute],
    ['one that is stuck', [{ status: 'retrying', scheduled_at: now - 20_000 * minute }], null],
    ['an unknown status without a time', [{ status: 'queued_elsewhere', scheduled_at: null }], 30_000],
    [
      'the youngest of several',
      [
        { status: 'retrying', scheduled_at: now - 60 * minute },
        { status: 'scheduled', scheduled_at: now - 4 * minute },
      ],
      2 * minute,
    ],
  ])('%s [introspection#pull-statuses]', (_, pulls, delay) => {
    expect(nextPollDelay(pulls, now)).toBe(delay);
  });
});
