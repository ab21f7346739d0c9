import { LabChains } from './support/lab-chain.js';

const SEED = Number(process.env['LAB_SEED'] ?? 20_261_127);
const ROUNDS = Number(process.env['LAB_CHAINS'] ?? 100);
/** A fault seldom comes alone; more than a few say no more. */
const MAX_FAULTS = 5;

let chains: LabChains;

beforeAll(async () => {
  chains = await LabChains.open();
});

afterAll(() => chains.close());

describe(`of ${ROUNDS} random chains of orders (LAB_CHAINS), seed ${SEED} (LAB_SEED)`, () => {
  it('each is shown as upstream shows it last, with every critical value and owed draw on a list', async () => {
    const faults: string[] = [];
    for (let round = 0; round < ROUNDS && faults.length < MAX_FAULTS; round++) {
      const fault = await chains.play(SEED + round);
      if (fault) faults.push(`LAB_CHAINS=1 LAB_SEED=${SEED + round}: ${fault.what}\n  ${fault.path.join('\n  ')}`);
    }
    expect(faults.join('\n')).toBe('');
  }, 7_200_000);
});
