/** Results of an order, or of all orders of a transaction. */
export const resultScopes = ['order', 'transaction'] as const;
export type ResultScope = (typeof resultScopes)[number];

/** Subject of a result: an order or a transaction, by its id. */
export interface ResultSubject {
  readonly scope: ResultScope;
  readonly id: string;
}

/** States of a result that need an operator. */
export const resultTroubles = ['given_up', 'withdrawn'] as const;
export type ResultTrouble = (typeof resultTroubles)[number];
