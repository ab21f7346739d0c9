/** How much is measured, and where progress goes. */
export interface Plan {
  /** Counted rounds; one more goes before them. */
  readonly rounds: number;
  /** Share of the full amounts. */
  readonly scale: number;
  readonly step: (label: string) => void;
}
