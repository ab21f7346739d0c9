import { median } from './rounds.js';

/** One measured number, what it is measured against, and the goal it is held to. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** The lowest and the highest of the rounds; null where there was one. */
  readonly spread: readonly [number, number] | null;
  readonly unit: string;
  /** What `ratio` divides by; null where the number stands alone. */
  readonly baseline: string | null;
  readonly ratio: number | null;
  readonly goal: string | null;
  readonly reached: boolean | null;
  readonly note: string | null;
}

export interface Baseline {
  readonly name: string;
  readonly values: readonly number[];
}

export interface Goal {
  readonly of: 'ratio' | 'value';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Measured {
  readonly name: string;
  readonly unit: string;
  /** One per round. */
  readonly values: readonly number[];
  readonly baseline?: Baseline;
  readonly goal?: Goal;
  readonly note?: string;
}

/** Medians of the rounds; the ratio is the median of the ratios of each round, so that what disturbs both cancels. */
export function figureOf(measured: Measured): Figure {
  const value = median(measured.values);
  const ratio = measured.baseline ? ratioOf(measured.values, measured.baseline.values) : null;
  const { goal } = measured;
  const judged = goal?.of === 'value' ? value : ratio;
  return {
    name: measured.name,
    value: rounded(value),
    spread: spreadOf(measured.values),
    unit: measured.unit,
    baseline: measured.baseline?.name ?? null,
    ratio: ratio === null ? null : rounded(ratio),
    goal: goal ? goalText(goal, measured.unit) : null,
    reached: goal && judged !== null ? judged >= (goal.atLeast ?? judged) && judged <= (goal.atMost ?? judged) : null,
    note: measured.note ?? null,
  };
}

function spreadOf(values: readonly number[]): readonly [number, number] | null {
  return values.length < 2 ? null : [rounded(Math.min(...values)), rounded(Math.max(...values))];
}

function ratioOf(values: readonly number[], baseline: readonly number[]): number {
  return median(values.map((value, round) => value / (baseline[round] ?? Number.NaN)));
}

function goalText({ of, atLeast, atMost }: Goal, unit: string): string {
  const bound = atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast}`;
  return of === 'ratio' ? `${bound} x` : `${bound} ${unit}`;
}

/** Three significant digits are more than a shared machine can repeat. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

const headings = ['figure', 'value', 'spread', 'unit', 'against', 'ratio', 'goal', 'reached'] as const;

/** The figures as lines of a table, notes below it. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [[...headings], ...figures.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  const notes = figures.flatMap((figure) => (figure.note === null ? [] : [`  ${figure.name}: ${figure.note}`]));
  return [...lines, ...(notes.length > 0 ? ['', ...notes] : []), ''].join('\n');
}

function cellsOf(figure: Figure): string[] {
  return [
    figure.name,
    shown(figure.value),
    figure.spread?.map(shown).join(' to ') ?? '',
    figure.unit,
    figure.baseline ?? '',
    figure.ratio === null ? '' : figure.ratio.toString(),
    figure.goal ?? '',
    figure.reached === null ? '' : figure.reached ? 'yes' : 'NO',
  ];
}

function shown(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
}
