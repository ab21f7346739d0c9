import { type Figure, figureOf, type Measured } from '../figures.js';
import { median, type Series, valuesOf } from '../rounds.js';

/** Sides of the comparison, by the names the figures know them under. */
export const sides = {
  bare: 'bare Fastify + HMAC + group commit',
  accept: 'Pulsekeep, accepting',
  whole: 'Pulsekeep, accepting and applying',
  ordinaryAccept: 'ordinary (Nest on Express), accepting',
  ordinaryWhole: 'ordinary (Nest on Express), accepting and applying',
} as const;

const unit = 'messages/s';

/** Throws where Pulsekeep or the raw limit refused anything: their rates would mean nothing. */
export function acceptFigures(series: Series<string>): Figure[] {
  const of = (side: string, key = 'accepted'): readonly number[] => valuesOf(series, side, key);
  for (const side of [sides.bare, sides.accept, sides.whole]) {
    if (of(side, 'refused').some((share) => share > 0)) throw new Error(`${side} refused messages.`);
  }
  const bare = { name: sides.bare, values: of(sides.bare) };
  const ordinary = { name: sides.ordinaryAccept, values: of(sides.ordinaryAccept) };
  const ordinaryWhole = { name: sides.ordinaryWhole, values: of(sides.ordinaryWhole) };
  const accepting = { name: 'accept', values: of(sides.accept) };
  const applied = of(sides.whole, 'applied');
  const measured: Measured[] = [
    { name: 'bare accept', unit, values: bare.values },
    { name: 'accept', unit, values: accepting.values, baseline: bare, goal: { of: 'ratio', atLeast: 0.9 } },
    { name: 'accept while applying', unit, values: of(sides.whole), baseline: bare },
    { name: 'accept + apply', unit, values: applied, baseline: accepting, goal: { of: 'ratio', atLeast: 0.6 } },
    {
      name: 'accept (ordinary)',
      unit,
      values: accepting.values,
      baseline: ordinary,
      goal: { of: 'ratio', atLeast: 15 },
      note: refusals(of(sides.ordinaryAccept, 'refused')),
    },
    {
      name: 'accept + apply (ordinary)',
      unit,
      values: applied,
      baseline: ordinaryWhole,
      goal: { of: 'ratio', atLeast: 40 },
      note: refusals(of(sides.ordinaryWhole, 'refused')),
    },
    {
      name: 'accept p50',
      unit: 'ms',
      values: of(sides.accept, 'p50'),
      baseline: { name: 'p50, bare', values: of(sides.bare, 'p50') },
    },
    {
      name: 'accept p99',
      unit: 'ms',
      values: of(sides.accept, 'p99'),
      baseline: { name: 'p99, bare', values: of(sides.bare, 'p99') },
    },
    ...[sides.bare, sides.accept, sides.whole].map((side) => {
      return { name: `processor time, ${side}`, unit: 'us/message', values: of(side, 'cpu') };
    }),
  ];
  return measured.map(figureOf);
}

function refusals(shares: readonly number[]): string {
  return `The ordinary design answered ${(median(shares) * 100).toFixed(0)} % of the messages with an error; only the others count.`;
}
