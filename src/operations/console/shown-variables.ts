import type { Config } from '../../platform/config/config.js';
import { valueIn, variables } from '../../platform/config/variables.js';

interface Shown {
  readonly name: string;
  readonly value: string | null;
}

/** Values as the process uses them, of all variables that are no secrets; any caller with a key may see them. */
export function shownVariables(config: Config): Shown[] {
  return Object.values(variables)
    .filter(({ secret }) => !secret)
    .map((variable) => ({ name: variable.name, value: textOf(valueIn(config, variable)) }));
}

function textOf(value: unknown): string | null {
  const values: readonly unknown[] = [value ?? []].flat();
  return values.length === 0 ? null : values.map(String).join(', ');
}
