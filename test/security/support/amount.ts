/** Which values are picked; printed, so that a run can be repeated: `npm run test:security -- --seed N`. */
export const seed = process.env['SECURITY_SEED'] ?? String(Date.now() % 1_000_000);

/** Number of attacks to send: a `few` in the normal tests, `all` in `npm run test:security`. */
export function amount(few: number, all: number): number {
  return process.env['SECURITY_ALL'] === '1' ? all : Math.min(few, all);
}
