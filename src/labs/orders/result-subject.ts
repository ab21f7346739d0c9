/** Results of one order, or of all orders of a transaction together. */
export const resultScopes = ['order', 'transaction'] as const;
export type ResultScope = (typeof resultScopes)[number];

/** What there are results of, by the id of the order or of the transaction. */
export interface ResultSubject {
  readonly scope: ResultScope;
  readonly id: string;
}
