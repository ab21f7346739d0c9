/** A receipt as operators see it. */
export interface Receipt {
  erasure_id: string;
  account_ref: number;
  state: string;
  requested_by: string;
  deleted_at: string | null;
  upstream_at: string | null;
  scrubbed_at: string | null;
  scrub: string | null;
  verified_at: string | null;
  next_attempt_at: string | null;
  attempts: number;
  error_code: string | null;
  deleted: Record<string, number>;
  turned_away: number;
}
