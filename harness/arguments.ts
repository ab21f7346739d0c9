import { Command, InvalidArgumentError } from 'commander';

/** A program of `npm run NAME`, which exits with 2 for wrong usage. */
export function programOf(name: string, description: string): Command {
  return new Command(`npm run ${name} --`)
    .description(description)
    .allowExcessArguments(false)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

/** Parses a number of at least `least`. */
export function numberFrom(least: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value < Infinity) return value;
    throw new InvalidArgumentError(`Must be a number from ${least} on.`);
  };
}

/** Parses a positive number. */
export function positive(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError('Must be a number above 0.');
}

/** Parses a whole number. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`);
  };
}
