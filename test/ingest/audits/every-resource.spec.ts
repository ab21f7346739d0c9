// .ci/run runs this on PostgreSQL too: its outcome depends on the database.
import fc from 'fast-check';
import { catalogue } from '../../../src/health/catalogue/catalogue.js';
import { answers } from './support/answers.js';
import { StoredAnswers } from './support/stored-answers.js';

/** A workout's stream is no answer about a window: it is fetched with the workout and has no days. */
const compared = catalogue.filter(({ family }) => family !== 'stream');

describe('an answer and what is stored of it', () => {
  let here: StoredAnswers;

  beforeAll(async () => {
    here = await StoredAnswers.create();
  });

  afterAll(() => here.close());

  it.each(compared.map((resource) => [resource.name, resource] as const))('are equal for %s', async (_, resource) => {
    await fc.assert(
      fc.asyncProperty(answers(resource), async (pages) => {
        const account = await here.account();
        expect(await here.pull(account, resource, pages)).toBe(0);
        const compared = await here.compare(account, resource, pages);
        expect(compared.flatMap(({ differences }) => differences)).toEqual([]);
        expect(compared.every(({ isEqual }) => isEqual)).toBe(true);
        expect(compared.reduce((sum, { objects }) => sum + objects, 0)).toBeGreaterThan(0);
      }),
      { numRuns: 10 },
    );
  });
});
