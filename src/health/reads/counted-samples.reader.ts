import { groupedBy } from '../../platform/platform/grouped-by.js';
import { catalogue, type Resource } from '../catalogue/catalogue.js';

/*
 * SQL conditions and numbers of samples `p` (docs/meaning.md#no-reading): which of them count, and with which number.
 * Everything that says a number of several samples, or which one is the latest, reads them from here.
 */

/** The second number of a pair. */
const secondOf = (alias: string): string => `CAST(${alias}.text_value AS double precision)`;

/** Excludes larger numbers: they are no measurements, and their sum could overflow. */
const isMeasured = (number: string): string =>
  `${number} BETWEEN CAST(-1e100 AS double precision) AND CAST(1e100 AS double precision)`;

/** True if the sample counts: its numbers are possible for a living person. */
export function isCounted({ family, possible }: Resource, alias = 'p'): string {
  const { above, from, to, except } = possible;
  const limits = (number: string): string[] => [
    isMeasured(number),
    ...(above === undefined ? [] : [`${number} > ${above}`]),
    ...(from === undefined ? [] : [`${number} >= ${from}`]),
    ...(to === undefined ? [] : [`${number} <= ${to}`]),
    ...(except === undefined ? [] : [`${number} <> ${except}`]),
  ];
  const [value, second] = [`${alias}.value`, secondOf(alias)];
  if (family !== 'pair') return limits(value).join(' AND ');
  // The pressure of a beat is not below that between beats.
  return [...limits(value), ...limits(second), `${value} >= ${second}`].join(' AND ');
}

/** The numbers of a sample, each with the suffix of its columns. */
export function numbersOf({ family, mayBeFraction }: Resource): (readonly [number: string, suffix: string])[] {
  const value = mayBeFraction ? '(CASE WHEN p.value <= 1 THEN p.value * 100 ELSE p.value END)' : 'p.value';
  return [[value, ''], ...(family === 'pair' ? [[secondOf('p'), '_2'] as const] : [])];
}

/** By their condition, the resources that have limits. */
const conditions = groupedBy(
  catalogue.filter(({ possible }) => Object.keys(possible).length > 0),
  (resource) => isCounted(resource),
);

/** As {@link isCounted} where the resource is a column. */
export const isCountedOf = (resource: string): string => {
  const cases = [...conditions].map(
    ([condition, of]) => `WHEN ${resource} IN (${of.map(({ name }) => `'${name}'`).join(', ')}) THEN ${condition}`,
  );
  return `CASE ${cases.join(' ')} ELSE TRUE END`;
};
