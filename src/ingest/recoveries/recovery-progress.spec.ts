import type { RecoveryEntity } from './recovery.entity.js';
import { progressOf } from './recovery-progress.js';

const recovery = (given: Partial<RecoveryEntity>): RecoveryEntity => {
  const row = { state: 'pulling', created_at: 1_000, pulls_expected: 10, pulls_planned: 10 };
  return { ...row, pulls_done: 0, pulls_failed: 0, pages: 0, ...given } as RecoveryEntity;
};

describe('the progress of a recovery', () => {
  it('counts pulls by outcome, and estimates the end at the same pace', () => {
    const totals = [
      { status: 'done' as const, pulls: 4, pages: 9 },
      { status: 'failed' as const, pulls: 1, pages: 0 },
      { status: 'running' as const, pulls: 2, pages: 1 },
      { status: 'pending' as const, pulls: 3, pages: 0 },
    ];
    expect(progressOf(recovery({}), totals, 11_000)).toEqual({
      pending: 3,
      running: 2,
      done: 4,
      failed: 1,
      pages: 10,
      share: 0.5,
      estimatedEnd: 21_000,
    });
  });

  it('is measured against the expected pulls while they are planned', () => {
    const planning = recovery({ state: 'planning', pulls_planned: 4 });
    const totals = [{ status: 'done' as const, pulls: 4, pages: 4 }];
    expect(progressOf(planning, totals, 5_000)).toMatchObject({ share: 0.4, estimatedEnd: 11_000 });
    expect(progressOf({ ...planning, pulls_expected: 0, pulls_planned: 0 }, [], 5_000)).toMatchObject({ share: 0 });
  });

  it('of a recovery without pulls is complete once planned, and its end is unknown before a pull has ended', () => {
    expect(progressOf(recovery({ pulls_planned: 0 }), [], 5_000)).toMatchObject({ share: 1, estimatedEnd: null });
    expect(progressOf(recovery({}), [], 5_000)).toMatchObject({ share: 0, estimatedEnd: null });
  });

  it('comes from the row once it is done', () => {
    const done = recovery({ state: 'done', pulls_done: 8, pulls_failed: 2, pages: 30 });
    expect(progressOf(done, [], 5_000)).toMatchObject({ share: 1, done: 8, failed: 2, pages: 30, estimatedEnd: null });
  });
});
