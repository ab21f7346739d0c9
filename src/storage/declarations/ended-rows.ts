/** Rows of work that has ended, of a table that grows without end; deleted or emptied after HISTORY_RETENTION_DAYS. */
export interface EndedRows {
  readonly table: string;
  /** A column of numbers by which the rows can be passed, oldest first. */
  readonly key: string;
  /**
   * When a row was made, in epoch milliseconds: a column, or an expression that begins with one, that grows with the
   * key.
   */
  readonly madeAt: string;
  /** A condition on the row `r`: it ended before `:before`, and nothing that is kept needs it. */
  readonly ended: string;
  /** The column to empty where the rows themselves stay. */
  readonly emptied?: string;
  /** Days for which they are kept instead of HISTORY_RETENTION_DAYS, if fewer. */
  readonly keptDays?: number;
}
