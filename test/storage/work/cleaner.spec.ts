import { CleanerWorker, type Cleaning, type SliceOutcome } from '../../../src/storage/work/cleaner.worker.js';
import { TestApp } from '../../support/test-app.js';

describe('the cleaner', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({ webhooks: false });
  });

  afterEach(() => app.close());

  /** A cleaning of `left` rows whose slices fail above `most` rows. */
  const cleaning = (left: number, most: number): Cleaning & { readonly limits: number[]; left: number } => ({
    limits: [],
    left,
    maxRows: 64,
    async slice(limit): Promise<SliceOutcome> {
      this.limits.push(limit);
      if (limit > most) throw new Error('canceling statement due to statement timeout');
      const isAtEnd = this.left === 0;
      this.left = Math.max(0, this.left - limit);
      return Promise.resolve(isAtEnd ? 'end' : 'deleted');
    },
  });

  it('takes smaller slices where one fails, until they pass', async () => {
    const slow = cleaning(10, 8);
    app.get(CleanerWorker).add(slow);
    await app.run(CleanerWorker);
    expect(slow.left).toBe(0);
    expect(slow.limits.slice(0, 5)).toEqual([64, 16, 4, 8, 16]);
    await app.run(CleanerWorker);
    expect(slow.limits.at(-1)).toBeLessThanOrEqual(8);
  });

  it('continues with the others where not even one row passes, and fails at the end', async () => {
    const [broken, other] = [cleaning(10, 0), cleaning(100, 64)];
    for (const each of [broken, other]) app.get(CleanerWorker).add(each);
    await expect(app.run(CleanerWorker)).rejects.toThrow('statement timeout');
    expect(broken.limits).toEqual([64, 16, 4, 1]);
    expect(other.left).toBe(0);
  });
});
