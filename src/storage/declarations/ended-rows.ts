/** Finished work rows of a table that grows without limit. They are deleted or emptied after HISTORY_RETENTION_DAYS. */
export interface EndedRows {
  readonly table: string;
  /** A numeric column by which rows can be visited, oldest first. */
  readonly key: string;
  /**
   * When a row was created, in epoch milliseconds: a column, or an expression that begins with one, that increases with
   * the key.
   */
  readonly madeAt: string;
  /** A condition on the row `r`: it ended before `:before`, and no row that is kept needs it. */
  readonly ended: string;
  /** The column to empty if the rows themselves are kept. */
  readonly emptied?: string;
  /** Days to keep them instead of HISTORY_RETENTION_DAYS, if fewer. */
  readonly keptDays?: number;
}
