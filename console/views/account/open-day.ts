export interface OpenDay {
  readonly day: string;
  readonly resource: string;
  readonly provider: string;
}
