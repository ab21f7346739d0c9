/** States of a day, a source or an account, with their labels; distinguished by colour and by shape. */
export const states = {
  received: 'received',
  empty: 'confirmed empty',
  waiting: 'waiting',
  failed: 'failed',
  unknown: 'unknown',
  gone: 'gone',
} as const;
export type State = keyof typeof states;
