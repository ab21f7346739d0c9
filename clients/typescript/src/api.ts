/* Written by scripts/client.mjs from openapi.json; do not edit. */

/** The version of the service that this client was made for. */
export const version = '0.9.0';

export type ProblemFieldDto = {
  readonly field: string;
  readonly message: string;
};

export type ProblemDto = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code:
    | 'invalid_request'
    | 'unauthorized'
    | 'forbidden'
    | 'not_found'
    | 'not_synced'
    | 'method_not_allowed'
    | 'conflict'
    | 'account_id_not_allowed'
    | 'account_blocked'
    | 'account_erased'
    | 'access_reason_required'
    | 'idempotency_key_required'
    | 'idempotency_key_reused'
    | 'placement_in_progress'
    | 'placement_unresolved'
    | 'order_refused'
    | 'order_not_cancellable'
    | 'booking_in_progress'
    | 'appointment_refused'
    | 'rate_limited'
    | 'busy'
    | 'caller_left'
    | 'tokens_closed'
    | 'payload_too_large'
    | 'headers_too_large'
    | 'request_timeout'
    | 'unsupported_media_type'
    | 'malformed_webhook'
    | 'bad_signature'
    | 'storage_unavailable'
    | 'inbox_behind'
    | 'upstream_rejected'
    | 'upstream_throttled'
    | 'upstream_unavailable'
    | 'upstream_contract'
    | 'upstream_user_limit'
    | 'upstream_invalid_request'
    | 'result_not_ready'
    | 'document_not_ready'
    | 'cursor_expired'
    | 'feed_restarted'
    | 'cursor_ahead'
    | 'verification_unavailable'
    | 'internal'
    | 'lane_refused'
    | 'shutting_down'
    | 'not_ready';
  readonly detail: string;
  readonly request_id: string;
  readonly errors?: readonly ProblemFieldDto[];
};

export type LinkOutcomeReport = {
  readonly link_attempt_id?: string;
  readonly outcome: 'success' | 'exit' | 'error';
  /** `error_type` from upstream, which may add values. */
  readonly error_type?: string;
  /** report: from the widget. redirect: `state` and `error_type` in the redirect URL. */
  readonly source?: 'report' | 'redirect';
  /** Metadata from the widget; accepted but not stored. */
  readonly metadata?: {
    readonly [field: string]: unknown;
  };
};

export type LinkAttemptDto = {
  readonly link_attempt_id: string;
  readonly account_id: string;
  /** An attempt without an outcome is open, and expired after ten minutes. */
  readonly state: 'open' | 'success' | 'exit' | 'error' | 'expired';
  /** True if a connection confirmed the outcome; a report by the app is only a hint. */
  readonly confirmed: boolean;
  /** Origin of the outcome; null without one. */
  readonly outcome_source: 'report' | 'redirect' | 'connection' | null;
  readonly error_type: string | null;
  /** Requested provider; null if the person chooses. */
  readonly provider: string | null;
  /** Connected provider; null if none. */
  readonly connected_provider: string | null;
  readonly created_at: string;
  readonly expires_at: string;
  readonly outcome_at: string | null;
};

export type AccountImportDto = {
  readonly import_id: number;
  readonly state: 'running' | 'done' | 'failed';
  /** walk: reading upstream's list of users. verify: looking up accounts missing from that list. */
  readonly phase: 'walk' | 'verify';
  /** Number of the current pass over the list; above 1 if the list changed during a pass. */
  readonly pass: number;
  /** Users reported by upstream; null until known. */
  readonly users_total: number | null;
  /** Users seen in this pass. */
  readonly users_seen: number;
  /** Users that already had an account. */
  readonly known: number;
  /** Users adopted. */
  readonly adopted: number;
  /** Users that cannot be adopted. */
  readonly refused: number;
  /**
   * Refused users by reason: personal_id, id_not_storable, account_has_other_user,
   * user_has_other_account, account_blocked.
   */
  readonly refused_by_reason: {
    readonly [field: string]: number;
  };
  /** Accounts without an upstream user. */
  readonly unknown_upstream: number;
  /** These accounts by reason: user_gone, user_replaced, never_made. */
  readonly unknown_by_reason: {
    readonly [field: string]: number;
  };
  /** Accounts looked up individually. */
  readonly accounts_verified: number;
  /** False if the list changed during every pass: import again. Null until the scan ends. */
  readonly stable: boolean | null;
  /** List pages read. */
  readonly pages: number;
  /** Progress; decreases when another pass starts. */
  readonly share_done: number;
  readonly estimated_end: string | null;
  /** Failures since the last successful step. */
  readonly failures: number;
  readonly last_error: string | null;
  /** Time of the next step; null once finished. */
  readonly due_at: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
};

export type ImportDifferenceDto = {
  readonly kind: 'adopted' | 'refused' | 'unknown_upstream';
  /** Null for an adopted user. */
  readonly reason:
    | 'personal_id'
    | 'id_not_storable'
    | 'account_has_other_user'
    | 'user_has_other_account'
    | 'account_blocked'
    | 'user_gone'
    | 'user_replaced'
    | 'never_made'
    | null;
  /** Null without an account. A refused id is not shown. */
  readonly account_id: string | null;
  /** Upstream user id. */
  readonly user_id: string | null;
  readonly found_at: string;
};

export type SignInTokenRequest = {
  /** Random id chosen by the app installation; not a device id. */
  readonly installation_id?: string | null;
};

export type SignInTokenDto = {
  /** Upstream user id. */
  readonly user_id: string;
  /** Short-lived secret: pass it to the SDK and do not store it. */
  readonly sign_in_token: string;
};

export type LinkTokenRequest = {
  /** Provider to open directly; null lets the person choose. */
  readonly provider?: string | null;
  /** Providers to show; null shows all. */
  readonly filter_on_providers?: readonly string[] | null;
  /**
   * URL to which the browser returns, with link_attempt_id added; its origin must be in
   * APP_LINK_REDIRECT_ORIGINS.
   */
  readonly redirect_url?: string | null;
  readonly on_error?: 'redirect' | null;
  readonly on_close?: 'redirect' | null;
};

export type LinkTokenDto = {
  /** Secret, valid for one attempt. */
  readonly link_token: string;
  /** URL of the hosted page, including the token; empty if upstream sent none. */
  readonly link_web_url: string;
  readonly link_attempt_id: string;
};

export type FrequentInstallationDto = {
  readonly account_id: string;
  /** Null if the app sent none. */
  readonly installation_id: string | null;
  /** Sign-in tokens issued within a day. */
  readonly tokens: number;
  readonly last_issued_at: string;
};

export type TokenIssuanceDto = {
  readonly open: boolean;
  readonly closed_at: string | null;
  /** Name of the operator key; null while open. */
  readonly closed_by: string | null;
};

export type TokenIssuanceSetting = {
  /** false stops issuing sign-in and link tokens. */
  readonly open: boolean;
};

export type HeldDeletionDto = {
  readonly id: number;
  readonly account_id: string;
  readonly provider: string;
  readonly resource: string;
  readonly state: 'open' | 'released' | 'rejected';
  /** Missing records, over all pulls. */
  readonly missing: number;
  /** Records returned by the last pull. */
  readonly shown: number;
  /** Task of the last pull. */
  readonly task_id: number;
  readonly looked_at: string;
  readonly created_at: string;
  readonly decided_at: string | null;
  /** Name of the key; null before a decision. */
  readonly decided_by: string | null;
  readonly reason: string | null;
};

export type DecisionRequest = {
  /** Stored with the decision; must not name a person. */
  readonly reason: string;
};

export type PreferredSourceDto = {
  /** Provider of the source, as in `source.provider`. */
  readonly provider: string;
  /** Type of the source, as in `source.type`; null for every type of the provider. */
  readonly type: string | null;
};

export type SourcePriorityDto = {
  readonly data_type: string;
  /**
   * Origin of the list in effect. default: no list; devices come before apps and phones, then sources
   * are sorted by name.
   */
  readonly decided_by: 'account' | 'operator' | 'upstream' | 'default';
  /** Best first; sources not listed come last. */
  readonly sources: readonly PreferredSourceDto[];
  /** When this list was set, or read from upstream. */
  readonly changed_at: string | null;
  /** Name of the key. */
  readonly changed_by: string | null;
  /** When upstream's list was read; null if never. */
  readonly upstream_read_at: string | null;
  /** Entries of upstream's list ignored because they name no source. */
  readonly upstream_unreadable: number;
};

export type SourcePrioritiesDto = {
  readonly data: readonly SourcePriorityDto[];
  /** Always null: all lists fit one page. */
  readonly next_cursor: string | null;
};

export type SourcePriorityChange = {
  /** timeseries covers all sample resources. */
  readonly data_type:
    | 'timeseries'
    | 'activity'
    | 'body'
    | 'electrocardiogram'
    | 'meal'
    | 'menstrual_cycle'
    | 'profile'
    | 'sleep'
    | 'workouts';
  /** Sources, best first; replaces the entire list. Null removes it, so that the next list applies. */
  readonly sources: readonly PreferredSourceDto[] | null;
};

export type UnmatchedResultDto = {
  readonly id: string;
  readonly status: string;
  /** True while it waits for your decision. */
  readonly waiting: boolean;
  readonly decision_code: string | null;
  readonly sub_reason_codes: readonly string[];
  /** Empty until the item has been read. */
  readonly allowed_actions: readonly string[];
  readonly lab_slug: string | null;
  readonly result_status: string | null;
  /** Account named by the event, or owner of the order it was attached to; null if unknown. */
  readonly account_id: string | null;
  /** Order it was attached to, which need not be a candidate; null if none. */
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  readonly created_at: string;
  /** Null until the item has been read. */
  readonly updated_at: string | null;
  /** When the item was last read from upstream. */
  readonly read_at: string | null;
  /** When upstream no longer returned it; null while it does. */
  readonly gone_at: string | null;
};

export type CandidateDto = {
  /** Null if the user has no account here. */
  readonly account_id: string | null;
  /** Upstream user id. */
  readonly user_id: string | null;
  readonly candidate_type: string | null;
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  readonly last_status: string | null;
  readonly confidence_level: string | null;
};

export type ShownUnmatchedResultDto = {
  readonly id: string;
  readonly status: string;
  /** True while it waits for your decision. */
  readonly waiting: boolean;
  readonly decision_code: string | null;
  readonly sub_reason_codes: readonly string[];
  /** Empty until the item has been read. */
  readonly allowed_actions: readonly string[];
  readonly lab_slug: string | null;
  readonly result_status: string | null;
  /** Account named by the event, or owner of the order it was attached to; null if unknown. */
  readonly account_id: string | null;
  /** Order it was attached to, which need not be a candidate; null if none. */
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  readonly created_at: string;
  /** Null until the item has been read. */
  readonly updated_at: string | null;
  /** When the item was last read from upstream. */
  readonly read_at: string | null;
  /** When upstream no longer returned it; null while it does. */
  readonly gone_at: string | null;
  /** Candidates may belong to different people. */
  readonly candidates: readonly CandidateDto[];
  /**
   * The item as upstream sent it for this request: patient, markers, reason, interpretation. Never
   * stored. Null without the role reader, and if upstream is unavailable or no longer shows it.
   */
  readonly content: {
    readonly [field: string]: unknown;
  } | null;
  /** True if upstream could not be reached for this request. */
  readonly stale: boolean;
};

export type AcceptBody = {
  /** For upstream; not stored. */
  readonly note?: string | null;
  /** Upstream's user id of the candidate. */
  readonly user_id?: string | null;
  /** Order of the candidate; optional if there is only one. */
  readonly order_id?: string | null;
};

export type DecidedUnmatchedResultDto = {
  readonly id: string;
  readonly status: string;
  /** True while it waits for your decision. */
  readonly waiting: boolean;
  readonly decision_code: string | null;
  readonly sub_reason_codes: readonly string[];
  /** Empty until the item has been read. */
  readonly allowed_actions: readonly string[];
  readonly lab_slug: string | null;
  readonly result_status: string | null;
  /** Account named by the event, or owner of the order it was attached to; null if unknown. */
  readonly account_id: string | null;
  /** Order it was attached to, which need not be a candidate; null if none. */
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  readonly created_at: string;
  /** Null until the item has been read. */
  readonly updated_at: string | null;
  /** When the item was last read from upstream. */
  readonly read_at: string | null;
  /** When upstream no longer returned it; null while it does. */
  readonly gone_at: string | null;
  /** Candidates may belong to different people. */
  readonly candidates: readonly CandidateDto[];
  /** Returned from the store without a call to upstream. */
  readonly replayed: boolean;
};

export type ResolveBody = {
  /** For upstream; not stored. */
  readonly note?: string | null;
  /** unsure: upstream's staff decide. */
  readonly action: 'reject' | 'unsure';
};

export type OrderDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
  /** Null if its user has no account. */
  readonly account_id: string | null;
  /** True while the lab reports one of its results as critical. */
  readonly critical: boolean;
  /** True if at least one critical result has no record that the patient was informed. */
  readonly critical_unnotified: boolean;
  /** Earlier name of critical_unnotified. @deprecated */
  readonly critical_untold: boolean;
};

export type OrderEventDto = {
  readonly event_id: number;
  readonly created_at: string;
  readonly status: string;
  readonly status_detail: string | null;
};

export type HistoryEntryDto = {
  readonly created_at: string;
  readonly status: string;
};

export type AppointmentDto = {
  readonly appointment_id: string;
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  /** True for the active appointment of the order. */
  readonly is_active: boolean;
  readonly type: string | null;
  readonly provider: string | null;
  readonly status: string | null;
  readonly event_status: string | null;
  /** In UTC; show it in iana_timezone. */
  readonly start_at: string | null;
  readonly end_at: string | null;
  readonly iana_timezone: string | null;
  /** Oldest first. */
  readonly history: readonly HistoryEntryDto[];
};

export type ToldDto = {
  readonly at: string;
  /** Name of the operator key. */
  readonly by: string;
  readonly how: 'phone' | 'message' | 'email' | 'letter' | 'in_person' | 'app' | 'other';
};

export type CriticalResultDto = {
  readonly order_id: string;
  /** event: a notice of the lab; order, result, marker: the interpretation in one of these. */
  readonly said_by: 'event' | 'order' | 'result' | 'marker';
  /** Of a marker: its name. */
  readonly marker: string | null;
  /** Version of the result that first showed this value; null unless it is from a result. */
  readonly result_version: number | null;
  /** Empty if upstream named no sample. */
  readonly sample_id: string;
  readonly status: string | null;
  readonly interpretation: string | null;
  /** When the lab reported it. */
  readonly created_at: string;
  /** When upstream stopped reporting it as critical (corrected or withdrawn); null while it does. */
  readonly settled_at: string | null;
  /** Record that the patient was informed; null if none. */
  readonly notified: ToldDto | null;
  /** Earlier name of notified. @deprecated */
  readonly told: ToldDto | null;
};

export type WaitingWorkDto = {
  /** Time of the next attempt; null if it failed permanently: request it again. */
  readonly due_at: string | null;
  /** Code of the last failure. */
  readonly last_error: string | null;
};

export type ShownOrderDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
  /** Null if its user has no account. */
  readonly account_id: string | null;
  /** True while the lab reports one of its results as critical. */
  readonly critical: boolean;
  /** True if at least one critical result has no record that the patient was informed. */
  readonly critical_unnotified: boolean;
  /** Earlier name of critical_unnotified. @deprecated */
  readonly critical_untold: boolean;
  /** Sorted by time, then id. */
  readonly events: readonly OrderEventDto[];
  readonly appointments: readonly AppointmentDto[];
  /** Latest record that the patient was informed of critical results; null if none. */
  readonly critical_notified: ToldDto | null;
  /** Earlier name of critical_notified. @deprecated */
  readonly critical_told: ToldDto | null;
  /** Critical results as the lab reported them; null without the role reader. */
  readonly critical_results: readonly CriticalResultDto[] | null;
  /**
   * Scheduled refresh of the order; null if none. `last_error` `not_found`: upstream no longer has the
   * order; it stays stored.
   */
  readonly refresh: WaitingWorkDto | null;
  /** When upstream last returned it; null while only the ids are known. */
  readonly last_seen_at: string | null;
  /** Scheduled fetch of the result; null if none. */
  readonly result_fetch: WaitingWorkDto | null;
};

export type OrderPairBody = {
  readonly account_id: string;
  readonly order_id: string;
  /** Read from upstream if omitted. */
  readonly order_transaction_id?: string;
};

export type OrderDetailDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
  /** Null if its user has no account. */
  readonly account_id: string | null;
  /** True while the lab reports one of its results as critical. */
  readonly critical: boolean;
  /** True if at least one critical result has no record that the patient was informed. */
  readonly critical_unnotified: boolean;
  /** Earlier name of critical_unnotified. @deprecated */
  readonly critical_untold: boolean;
  /** Sorted by time, then id. */
  readonly events: readonly OrderEventDto[];
  readonly appointments: readonly AppointmentDto[];
  /** Latest record that the patient was informed of critical results; null if none. */
  readonly critical_notified: ToldDto | null;
  /** Earlier name of critical_notified. @deprecated */
  readonly critical_told: ToldDto | null;
  /** Critical results as the lab reported them; null without the role reader. */
  readonly critical_results: readonly CriticalResultDto[] | null;
};

export type NotificationRecordDto = {
  readonly at: string;
  /** Name of the operator key. */
  readonly by: string;
  readonly how: 'phone' | 'message' | 'email' | 'letter' | 'in_person' | 'app' | 'other';
  /** redraw: of the transaction of the order. */
  readonly about: 'critical_results' | 'redraw';
  /** When it was recorded here. */
  readonly recorded_at: string;
  /** Newest version of the result that was critical; null if no result was. */
  readonly result_version: number | null;
  /** Names of the critical markers; null without the role reader. */
  readonly markers: readonly string[] | null;
};

export type NotificationHistoryDto = {
  /** Oldest first. */
  readonly data: readonly NotificationRecordDto[];
};

export type CriticalToldBody = {
  readonly how: 'phone' | 'message' | 'email' | 'letter' | 'in_person' | 'app' | 'other';
  /** When the patient was informed; default: now. */
  readonly notified_at?: string;
  /** Earlier name of notified_at. @deprecated */
  readonly told_at?: string;
  /**
   * Version of the result of which the patient was informed; default: the newest. Critical values that a
   * later version brought stay on the list. 0: only what no result reports, such as the event of the
   * lab.
   */
  readonly result_version?: number;
  /**
   * Names of the critical markers of which the patient was informed; default: all. Others stay on the
   * list.
   */
  readonly markers?: readonly string[];
};

export type RecordedToldDto = {
  readonly at: string;
  /** Name of the operator key. */
  readonly by: string;
  readonly how: 'phone' | 'message' | 'email' | 'letter' | 'in_person' | 'app' | 'other';
  /** True if the record already existed: do not inform the patient again. */
  readonly replayed: boolean;
};

export type ReplacementDto = {
  readonly at: string;
  /** Name of the operator key. */
  readonly by: string;
};

export type TransactionDto = {
  readonly order_transaction_id: string;
  readonly status: string | null;
  /** Order to act on now; null if none. */
  readonly act_on: string | null;
  readonly needs: 'redraw' | 'replace' | 'unblock' | 'release' | null;
  /** Why no action could be determined; else null. */
  readonly flag: 'inconsistent' | 'outcome_unstated' | null;
  readonly results_from: 'order_transaction' | null;
  readonly account_id: string | null;
  /** True while the lab reports a result of one of its orders as critical. */
  readonly critical: boolean;
  /** Record that the patient was informed of the redraw; null if none. */
  readonly redraw_notified: ToldDto | null;
  /** Earlier name of redraw_notified. @deprecated */
  readonly redraw_told: ToldDto | null;
  /** Latest record that a lost sample or kit was replaced; null if none. */
  readonly replaced: ReplacementDto | null;
  readonly created_at: string;
  /** Sorted by creation time. */
  readonly orders: readonly OrderDto[];
};

export type ShownTransactionDto = {
  readonly order_transaction_id: string;
  readonly status: string | null;
  /** Order to act on now; null if none. */
  readonly act_on: string | null;
  readonly needs: 'redraw' | 'replace' | 'unblock' | 'release' | null;
  /** Why no action could be determined; else null. */
  readonly flag: 'inconsistent' | 'outcome_unstated' | null;
  readonly results_from: 'order_transaction' | null;
  readonly account_id: string | null;
  /** True while the lab reports a result of one of its orders as critical. */
  readonly critical: boolean;
  /** Record that the patient was informed of the redraw; null if none. */
  readonly redraw_notified: ToldDto | null;
  /** Earlier name of redraw_notified. @deprecated */
  readonly redraw_told: ToldDto | null;
  /** Latest record that a lost sample or kit was replaced; null if none. */
  readonly replaced: ReplacementDto | null;
  readonly created_at: string;
  /** Sorted by creation time. */
  readonly orders: readonly OrderDto[];
  readonly appointments: readonly AppointmentDto[];
  /** Latest record that the patient was informed of critical results; null if none. */
  readonly critical_notified: ToldDto | null;
  /** Earlier name of critical_notified. @deprecated */
  readonly critical_told: ToldDto | null;
  /** Critical results as the lab reported them; null without the role reader. */
  readonly critical_results: readonly CriticalResultDto[] | null;
  /** Scheduled fetch of the result; null if none. */
  readonly result_fetch: WaitingWorkDto | null;
};

export type TransactionDetailDto = {
  readonly order_transaction_id: string;
  readonly status: string | null;
  /** Order to act on now; null if none. */
  readonly act_on: string | null;
  readonly needs: 'redraw' | 'replace' | 'unblock' | 'release' | null;
  /** Why no action could be determined; else null. */
  readonly flag: 'inconsistent' | 'outcome_unstated' | null;
  readonly results_from: 'order_transaction' | null;
  readonly account_id: string | null;
  /** True while the lab reports a result of one of its orders as critical. */
  readonly critical: boolean;
  /** Record that the patient was informed of the redraw; null if none. */
  readonly redraw_notified: ToldDto | null;
  /** Earlier name of redraw_notified. @deprecated */
  readonly redraw_told: ToldDto | null;
  /** Latest record that a lost sample or kit was replaced; null if none. */
  readonly replaced: ReplacementDto | null;
  readonly created_at: string;
  /** Sorted by creation time. */
  readonly orders: readonly OrderDto[];
  readonly appointments: readonly AppointmentDto[];
  /** Latest record that the patient was informed of critical results; null if none. */
  readonly critical_notified: ToldDto | null;
  /** Earlier name of critical_notified. @deprecated */
  readonly critical_told: ToldDto | null;
  /** Critical results as the lab reported them; null without the role reader. */
  readonly critical_results: readonly CriticalResultDto[] | null;
};

export type ToldBody = {
  readonly how: 'phone' | 'message' | 'email' | 'letter' | 'in_person' | 'app' | 'other';
  /** When the patient was informed; default: now. */
  readonly notified_at?: string;
  /** Earlier name of notified_at. @deprecated */
  readonly told_at?: string;
};

export type RecordedReplacementDto = {
  readonly at: string;
  /** Name of the operator key. */
  readonly by: string;
  /** True if it was recorded before: do not replace it again. */
  readonly replayed: boolean;
};

export type ChainDto = {
  readonly order_transaction_id: string;
  readonly status: string | null;
  /** Order to act on now; null if none. */
  readonly act_on: string | null;
  readonly needs: 'redraw' | 'replace' | 'unblock' | 'release' | null;
  /** Why no action could be determined; else null. */
  readonly flag: 'inconsistent' | 'outcome_unstated' | null;
  readonly results_from: 'order_transaction' | null;
};

export type OwnOrderInChainDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
  readonly order_transaction: ChainDto | null;
  readonly appointments: readonly AppointmentDto[];
};

export type OwnOrderDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
};

export type OwnTransactionDto = {
  readonly order_transaction_id: string;
  readonly status: string | null;
  /** Order to act on now; null if none. */
  readonly act_on: string | null;
  readonly needs: 'redraw' | 'replace' | 'unblock' | 'release' | null;
  /** Why no action could be determined; else null. */
  readonly flag: 'inconsistent' | 'outcome_unstated' | null;
  readonly results_from: 'order_transaction' | null;
  /** Sorted by creation time. */
  readonly orders: readonly OwnOrderDto[];
  readonly appointments: readonly AppointmentDto[];
};

export type ParsingJobDto = {
  readonly id: string;
  readonly account_id: string;
  /** Null if no event named an order. */
  readonly order_id: string | null;
  /** Status from upstream; null if the newest event had none. */
  readonly status: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly created_at: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly updated_at: string | null;
  /** When the first event was received. */
  readonly first_seen_at: string;
  /** When the newest event was received, or the job was read. */
  readonly observed_at: string;
  /** Next read; null once the job has ended. */
  readonly read: WaitingWorkDto | null;
};

export type ParsingJobDetailDto = {
  readonly id: string;
  readonly account_id: string;
  /** Null if no event named an order. */
  readonly order_id: string | null;
  /** Status from upstream; null if the newest event had none. */
  readonly status: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly created_at: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly updated_at: string | null;
  /** When the first event was received. */
  readonly first_seen_at: string;
  /** When the newest event was received, or the job was read. */
  readonly observed_at: string;
  /** Next read; null once the job has ended. */
  readonly read: WaitingWorkDto | null;
  /** The job as in the newest event or read, unchanged. */
  readonly content: {
    readonly [field: string]: unknown;
  };
};

export type LabWorkDto = {
  /**
   * notify: inform the patient; book: the draw; decide: about an unmatched result; replace: resend a
   * kit, order again, or supply what the lab waits for; chase: ask upstream or the lab.
   */
  readonly kind: 'notify' | 'book' | 'decide' | 'replace' | 'chase';
  readonly reason:
    | 'critical'
    | 'critical_unmatched'
    | 'redraw'
    | 'draw'
    | 'unmatched'
    | 'replace'
    | 'unblock'
    | 'release'
    | 'given_up'
    | 'unread'
    | 'withdrawn'
    | 'inconsistent';
  /** When it was learned of. */
  readonly since: string;
  /** Null if no account is known. */
  readonly account_id: string | null;
  /** The order concerned, or the newest of its transaction. */
  readonly order_id: string | null;
  readonly order_transaction_id: string | null;
  /** Of an unmatched result: its id. */
  readonly unmatched_result_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  /** The one request with which this item is worked on. */
  readonly action: string;
};

export type LegacyResult = {
  readonly [field: string]: unknown;
};

export type SourceMarker = {
  readonly marker_id?: number | null;
  readonly name?: string | null;
  readonly slug?: string | null;
  readonly provider_id?: string | null;
  readonly [field: string]: unknown;
};

export type Marker = {
  readonly name?: string | null;
  readonly slug?: string | null;
  /** The value as text. */
  readonly result?: string | null;
  /** numeric, range, comment or coded_value; upstream may add values. */
  readonly type?: string | null;
  /** Deprecated; -1 if the result is not a number. */
  readonly value?: string | number | null;
  readonly unit?: string | null;
  readonly timestamp?: string | null;
  readonly notes?: string | null;
  readonly reference_range?: string | null;
  readonly min_range_value?: string | number | null;
  readonly max_range_value?: string | number | null;
  readonly is_above_max_range?: boolean | null;
  readonly is_below_min_range?: boolean | null;
  readonly interpretation?: string | null;
  readonly loinc?: string | null;
  readonly loinc_slug?: string | null;
  readonly provider_id?: string | null;
  /** Ordered markers it belongs to; null if it was not ordered. */
  readonly source_markers?: readonly SourceMarker[] | null;
  readonly source_sample_id?: string | null;
  readonly [field: string]: unknown;
};

export type SampleInformation = {
  readonly sample_id?: string | null;
  readonly control_number?: string | null;
  readonly date_collected?:
    | string
    | {
        readonly timestamp?: string | null;
        readonly timezone_offset?: number;
        readonly [field: string]: unknown;
      }
    | null;
  readonly date_received?:
    | string
    | {
        readonly timestamp?: string | null;
        readonly timezone_offset?: number;
        readonly [field: string]: unknown;
      }
    | null;
  readonly date_reported?:
    | string
    | {
        readonly timestamp?: string | null;
        readonly timezone_offset?: number;
        readonly [field: string]: unknown;
      }
    | null;
  readonly [field: string]: unknown;
};

export type ResultMetadata = {
  readonly patient?: string | null;
  readonly age?: string | number | null;
  readonly dob?: string | null;
  readonly patient_id?: string | number | null;
  /** Account at the lab, not of Pulsekeep. */
  readonly account_id?: string | number | null;
  readonly specimen_number?: string | null;
  readonly date_collected?: string | null;
  readonly date_received?: string | null;
  readonly date_reported?: string | null;
  readonly provider?: string | null;
  readonly laboratory?: string | null;
  /** Original status from upstream; use the status of the response instead. */
  readonly status?: string | null;
  readonly interpretation?: string | null;
  readonly [field: string]: unknown;
};

export type MissingMarker = {
  readonly name?: string | null;
  readonly slug?: string | null;
  /** E.g. quantity_not_sufficient_failure; upstream may add values. */
  readonly inferred_failure_type?: string | null;
  readonly note?: string | null;
  readonly loinc?: string | null;
  readonly loinc_slug?: string | null;
  readonly provider_id?: string | null;
  /** Ordered markers it belongs to; null if it was not ordered. */
  readonly source_markers?: readonly SourceMarker[] | null;
  readonly [field: string]: unknown;
};

export type ResultVersionDto = {
  readonly version: number;
  /** SHA-256 in hex. */
  readonly checksum: string;
  /** Size in bytes. */
  readonly bytes: number;
  readonly first_seen_at: string;
  /** When upstream last returned the same content. */
  readonly last_confirmed_at: string;
  /** When upstream no longer returned it (404); null while it is valid. */
  readonly withdrawn_at: string | null;
  readonly status: 'partial' | 'final' | 'withdrawn';
  /** fetch: triggered by an event; read: by a request. */
  readonly source: 'read' | 'fetch';
};

export type ResultPdfVersionDto = {
  readonly version: number;
  /** SHA-256 in hex. */
  readonly checksum: string;
  /** Size in bytes. */
  readonly bytes: number;
  readonly first_seen_at: string;
  /** When upstream last returned the same content. */
  readonly last_confirmed_at: string;
  /** When upstream no longer returned it (404); null while it is valid. */
  readonly withdrawn_at: string | null;
};

export type ResultDto = {
  /** Set for results of one order. */
  readonly order_id?: string;
  /** Set for results of a transaction. */
  readonly order_transaction_id?: string;
  /**
   * partial: incomplete; never show it as the final result. withdrawn: upstream no longer has it; do not
   * show it. The values of a withdrawn result are left out unless a version is requested.
   */
  readonly status: 'partial' | 'final' | 'withdrawn';
  readonly version: number;
  /** SHA-256 of the canonical form of the upstream response. */
  readonly checksum: string;
  readonly first_seen_at: string;
  readonly last_confirmed_at: string;
  /** When upstream no longer returned it (404); null while it is valid. */
  readonly withdrawn_at: string | null;
  /**
   * True if upstream did not confirm it in this request: upstream was unavailable, or an old version was
   * requested.
   */
  readonly stale: boolean;
  /** Health values. */
  readonly metadata: ResultMetadata;
  /** Markers; an object of any form in old results. */
  readonly results: Marker[] | LegacyResult | null;
  readonly missing_results: readonly MissingMarker[];
  /** By sample id. */
  readonly sample_information: {
    readonly [field: string]: SampleInformation;
  } | null;
  /**
   * Unknown fields of upstream, unchanged. Also `results` and `missing_results` if an entry of them is
   * not an object.
   */
  readonly extra: {
    readonly [field: string]: unknown;
  };
  /** The current transaction. */
  readonly order_transaction: ChainDto | null;
  /** Newest first. */
  readonly versions: readonly ResultVersionDto[];
  /** Delivered PDFs, newest first. */
  readonly pdf_versions: readonly ResultPdfVersionDto[];
};

export type OwnResultDto = {
  /** Set for results of a transaction. */
  readonly order_transaction_id?: string;
  /**
   * partial: incomplete; never show it as the final result. withdrawn: upstream no longer has it; do not
   * show it. The values of a withdrawn result are left out unless a version is requested.
   */
  readonly status: 'partial' | 'final' | 'withdrawn';
  readonly version: number;
  /** SHA-256 of the canonical form of the upstream response. */
  readonly checksum: string;
  readonly first_seen_at: string;
  readonly last_confirmed_at: string;
  /** When upstream no longer returned it (404); null while it is valid. */
  readonly withdrawn_at: string | null;
  /**
   * True if upstream did not confirm it in this request: upstream was unavailable, or an old version was
   * requested.
   */
  readonly stale: boolean;
  /** Health values. */
  readonly metadata: ResultMetadata;
  /** Markers; an object of any form in old results. */
  readonly results: Marker[] | LegacyResult | null;
  readonly missing_results: readonly MissingMarker[];
  /** By sample id. */
  readonly sample_information: {
    readonly [field: string]: SampleInformation;
  } | null;
  /**
   * Unknown fields of upstream, unchanged. Also `results` and `missing_results` if an entry of them is
   * not an object.
   */
  readonly extra: {
    readonly [field: string]: unknown;
  };
  /** The current transaction. */
  readonly order_transaction: ChainDto | null;
};

export type MarkerValueDto = {
  readonly result: string | null;
  readonly unit: string | null;
  readonly interpretation: string | null;
  /** As the lab wrote it, else its ends. */
  readonly reference_range: string | null;
  /** Null if the lab says neither. */
  readonly out_of_range: 'above' | 'below' | null;
};

export type MarkerChangeDto = {
  /** Null without the role reader. */
  readonly name: string | null;
  /** Null without the role reader. */
  readonly sample_id: string | null;
  readonly change: 'added' | 'removed' | 'changed';
  /** Null unless both values are numbers of one unit. */
  readonly direction: 'higher' | 'lower' | null;
  /** In the version before; null without the role reader. */
  readonly before: MarkerValueDto | null;
  /** In this version; null without the role reader. */
  readonly after: MarkerValueDto | null;
};

export type ChangedVersionDto = {
  readonly version: number;
  /** When it was first read. */
  readonly first_seen_at: string;
  /** When upstream no longer returned it; null while it is valid. */
  readonly withdrawn_at: string | null;
  /** Since the version before; empty for the first one. */
  readonly changes: readonly MarkerChangeDto[];
};

export type ResultChangesDto = {
  /** Newest first. */
  readonly data: readonly ChangedVersionDto[];
};

export type UploadedReportDto = {
  readonly id: string;
  /** Status from upstream; null if the newest event had none. */
  readonly status: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly created_at: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly updated_at: string | null;
  /** When the first event was received. */
  readonly first_seen_at: string;
  /** When the newest event was received, or the job was read. */
  readonly observed_at: string;
  /** Next read; null once the job has ended. */
  readonly read: WaitingWorkDto | null;
  /** The job as in the newest event or read, unchanged. */
  readonly content: {
    readonly [field: string]: unknown;
  };
  /** True if an earlier request with the key uploaded it. */
  readonly replayed: boolean;
};

export type LabReportDto = {
  readonly id: string;
  /** Status from upstream; null if the newest event had none. */
  readonly status: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly created_at: string | null;
  /** Time from upstream; null if the newest event had none. */
  readonly updated_at: string | null;
  /** When the first event was received. */
  readonly first_seen_at: string;
  /** When the newest event was received, or the job was read. */
  readonly observed_at: string;
  /** Next read; null once the job has ended. */
  readonly read: WaitingWorkDto | null;
  /** The job as in the newest event or read, unchanged. */
  readonly content: {
    readonly [field: string]: unknown;
  };
};

export type BookBody = {
  /** booking_key of an available slot. */
  readonly booking_key: string;
  /** For the lab; not stored. */
  readonly appointment_notes?: string | null;
  /** True returns before the lab confirms; the appointment is then pending. */
  readonly async_confirmation?: boolean | null;
  /** Time to wait for the lab. */
  readonly sync_confirmation_timeout_millisecond?: number | null;
  /** Time allowed for the lab to confirm. */
  readonly async_confirmation_timeout_millisecond?: number | null;
};

export type BookedAppointmentDto = {
  readonly appointment_id: string;
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  /** True for the active appointment of the order. */
  readonly is_active: boolean;
  readonly type: string | null;
  readonly provider: string | null;
  readonly status: string | null;
  readonly event_status: string | null;
  /** In UTC; show it in iana_timezone. */
  readonly start_at: string | null;
  readonly end_at: string | null;
  readonly iana_timezone: string | null;
  /** Oldest first. */
  readonly history: readonly HistoryEntryDto[];
  /** True if returned from the database without a call to upstream. */
  readonly replayed: boolean;
};

export type RescheduleBody = {
  /** booking_key of an available slot. */
  readonly booking_key: string;
  /** For the lab; not stored. */
  readonly appointment_notes?: string | null;
};

export type CancelBody = {
  /**
   * One of GET /admin/v1/labs/cancellation-reasons; in the query for clients that cannot send a body
   * with DELETE.
   */
  readonly cancellation_reason_id?: string | null;
  /** For the lab; not stored. */
  readonly note?: string | null;
};

export type CancellationReasonDto = {
  readonly id: string;
  readonly name: string | null;
  readonly is_refundable: boolean | null;
};

export type CancellationReasonsDto = {
  readonly data: readonly CancellationReasonDto[];
  /** Always null: all reasons fit one page. */
  readonly next_cursor: null;
};

export type AvailabilityRequest = {
  readonly lab: 'quest' | 'sonora_quest';
  /** First day, not before today in any time zone of the United States. Default: now. */
  readonly start_date?: string | null;
  /** Use either site_codes or zip_code. */
  readonly site_codes?: readonly string[] | null;
  /** Use either zip_code or site_codes. */
  readonly zip_code?: string | null;
  /**
   * Miles around zip_code, as number or text: 10, 20, 25, 50 or 100; other values are passed to
   * upstream.
   */
  readonly radius?: number | string | null;
  /** Allow cached results from upstream, which are faster (in closed beta at upstream). */
  readonly allow_stale?: boolean | null;
};

export type SlotDto = {
  /** Key that books the slot; null if none. */
  readonly booking_key: string | null;
  /** False without a booking_key or once the offer has expired. */
  readonly bookable: boolean;
  /** RFC 3339 in UTC with milliseconds; as sent by upstream if the instant is ambiguous. */
  readonly start: string;
  /** RFC 3339 in UTC with milliseconds; as sent by upstream if the instant is ambiguous. */
  readonly end: string;
  /** RFC 3339 in UTC with milliseconds; as sent by upstream if the instant is ambiguous. */
  readonly expires_at: string | null;
  readonly price: number | null;
  readonly is_priority: boolean;
  readonly num_appointments_available: number | null;
  readonly [field: string]: unknown;
};

export type LocationDayDto = {
  /** Site, with all other fields from upstream. */
  readonly location: {
    readonly location?: {
      readonly lng?: number;
      readonly lat?: number;
    };
    /** Miles. */
    readonly distance: number | null;
    readonly address?: {
      readonly first_line?: string;
      readonly second_line?: string | null;
      readonly city?: string;
      readonly state?: string;
      readonly zip_code?: string;
      readonly unit?: string | null;
      readonly access_notes?: string | null;
      readonly [field: string]: unknown;
    };
    readonly code?: string;
    readonly name?: string;
    readonly iana_timezone: string | null;
    readonly [field: string]: unknown;
  } | null;
  readonly date: string;
  readonly slots: readonly SlotDto[];
};

export type AvailabilityDto = {
  /** One entry per site and day; empty when there are no slots. */
  readonly slots: readonly LocationDayDto[];
  readonly timezone: string | null;
};

export type CompendiumRequest = {
  /** canonical or crosswalk; other modes are passed to upstream. */
  readonly mode: string;
  /** Search text, required in canonical mode. Crosswalk mode takes query or loinc_set_hash. */
  readonly query?: string | null;
  readonly cpt_codes?: readonly string[] | null;
  /** Hash of a canonical entry. Crosswalk mode only. */
  readonly loinc_set_hash?: string | null;
  /** labcorp, quest, bioreference, sonora_quest; upstream may add values. Default: all. */
  readonly labs?: readonly string[] | null;
  readonly include_related?: boolean | null;
  /** At most 10 in canonical mode, 20 in crosswalk mode. No default in other modes. */
  readonly limit?: number | null;
};

export type CanonicalEntryDto = {
  readonly loinc_set_hash: string;
  readonly display_name: string;
  readonly popularity_score: number | null;
  readonly confidence: number | null;
  readonly aliases: readonly string[];
  readonly loinc_codes: readonly string[];
  readonly provider_ids: readonly string[];
  readonly loinc_components: readonly string[];
  readonly loinc_groups: readonly string[];
  readonly cpt_codes: readonly string[];
  readonly [field: string]: unknown;
};

export type RelatedEntryDto = {
  readonly canonical: CanonicalEntryDto;
  /** exact, subset, superset, overlap or suggested; upstream may add values. */
  readonly relation: string | null;
  readonly confidence: number | null;
  readonly reason_codes: readonly string[];
  readonly [field: string]: unknown;
};

export type CompendiumDto = {
  /** canonical or crosswalk; upstream may add values. */
  readonly mode: string;
  /** Best match; null if nothing was found. */
  readonly selected_canonical: CanonicalEntryDto | null;
  readonly canonical_candidates: readonly CanonicalEntryDto[];
  /** Candidates by lab slug; empty in canonical mode. */
  readonly per_lab: {
    readonly [field: string]: readonly {
      /** Usable as an add-on of an order, like provider_id. */
      readonly marker_id?: number;
      /** Differs between environments: use the slug. */
      readonly lab_id?: number;
      readonly lab_slug: string | null;
      readonly name?: string;
      readonly result_names: readonly string[];
      readonly provider_id: string | null;
      readonly loinc_set_hash?: string;
      readonly loinc_codes: readonly string[];
      readonly loinc_components: readonly string[];
      readonly loinc_groups: readonly string[];
      readonly cpt_codes: readonly string[];
      /** exact, subset, superset, overlap or suggested; upstream may add values. */
      readonly relation?: string;
      readonly confidence?: number;
      readonly reason_codes: readonly string[];
      readonly marker_popularity_score?: number;
      readonly [field: string]: unknown;
    }[];
  };
  /** Empty in canonical mode. */
  readonly related: readonly RelatedEntryDto[];
};

export type ConversionRequest = {
  /** Use either lab_test_id or provider_ids. */
  readonly lab_test_id?: string | null;
  /** The lab's own test ids. Use either provider_ids or lab_test_id. */
  readonly provider_ids?: readonly string[] | null;
  /** labcorp, quest, bioreference or sonora_quest; upstream may add values. */
  readonly target_lab: string;
  /** Number of candidates per test. */
  readonly limit?: number | null;
};

export type ConversionDto = {
  readonly source_lab_test_id: string | null;
  readonly source_lab_id: number | null;
  /** Differs between environments: use the slug. */
  readonly target_lab_id: number | null;
  readonly target_lab_slug: string;
  readonly source_provider_ids: readonly string[];
  readonly converted_provider_ids: readonly string[];
  /** Tests without a match at the target lab. */
  readonly unresolved_provider_ids: readonly string[];
  /** Matches at the target lab by test, best first. */
  readonly by_source_provider_id: {
    readonly [field: string]: {
      readonly source_provider_id?: string;
      readonly candidates: readonly {
        /** Usable as an add-on of an order, like provider_id. */
        readonly marker_id?: number;
        /** Differs between environments: use the slug. */
        readonly lab_id?: number;
        readonly lab_slug: string | null;
        readonly name?: string;
        readonly result_names: readonly string[];
        readonly provider_id: string | null;
        readonly loinc_set_hash?: string;
        readonly loinc_codes: readonly string[];
        readonly loinc_components: readonly string[];
        readonly loinc_groups: readonly string[];
        readonly cpt_codes: readonly string[];
        /** exact, subset, superset, overlap or suggested; upstream may add values. */
        readonly relation?: string;
        readonly confidence?: number;
        readonly reason_codes: readonly string[];
        readonly marker_popularity_score?: number;
        readonly [field: string]: unknown;
      }[];
      readonly [field: string]: unknown;
    };
  };
  readonly [field: string]: unknown;
};

export type LabTestDto = {
  /** Id for order_set.lab_test_ids of an order. */
  readonly id: string;
  readonly slug: string | null;
  readonly name: string | null;
  readonly sample_type: string | null;
  /** Sample collection method; upstream may add values. */
  readonly method: string | null;
  readonly price: number | null;
  readonly status: string | null;
  readonly fasting: boolean | null;
  readonly lab: {
    readonly id?: number;
    readonly slug?: string;
    readonly name?: string;
    readonly first_line_address?: string;
    readonly city?: string;
    readonly zipcode?: string;
    readonly collection_methods?: readonly string[];
    readonly sample_types?: readonly string[];
    readonly [field: string]: unknown;
  } | null;
  /** Measured biomarkers, as listed by upstream. */
  readonly markers: readonly {
    readonly [field: string]: unknown;
  }[];
  /** Typical days until the result. */
  readonly common_tat_days: number | null;
  /** Maximum days until the result. */
  readonly worst_case_tat_days: number | null;
  readonly [field: string]: unknown;
};

export type LabTestPageDto = {
  readonly data: readonly LabTestDto[];
  readonly next_cursor: string | null;
  /** Items of this page left out because they are unreadable. */
  readonly unreadable: number;
};

export type QuestionAnswerDto = {
  readonly id: number | null;
  /** What aoe_answers has for a choice. */
  readonly code: string | null;
  readonly value: string | null;
  readonly [field: string]: unknown;
};

export type QuestionDto = {
  readonly id: number | null;
  readonly code: string | null;
  /** choice, multiple_choice, numeric or text; upstream may add values. */
  readonly type: string | null;
  /** The question. */
  readonly value: string | null;
  /** Without an answer, the order is refused. */
  readonly required: boolean;
  /** Position among the questions. */
  readonly sequence: number | null;
  /** Possible answers of a choice. */
  readonly answers: readonly QuestionAnswerDto[];
  readonly [field: string]: unknown;
};

export type LabTestMarkerDto = {
  readonly id: number;
  readonly name: string | null;
  readonly slug: string | null;
  readonly provider_id: string | null;
  readonly questions: readonly QuestionDto[];
  readonly [field: string]: unknown;
};

export type LabTestMarkersDto = {
  readonly data: readonly LabTestMarkerDto[];
};

export type AreaDto = {
  readonly zip_code: string | null;
  /** Draws at home. */
  readonly phlebotomy: {
    readonly is_served?: boolean;
    readonly providers?: readonly {
      readonly name?: string;
      readonly tier?: readonly string[];
      readonly [field: string]: unknown;
    }[];
    readonly [field: string]: unknown;
  } | null;
  /** By slug of the lab. */
  readonly central_labs: {
    readonly [field: string]: {
      readonly patient_service_centers?: {
        readonly within_radius?: number;
        readonly radius?: string;
        readonly capabilities?: readonly string[];
        readonly [field: string]: unknown;
      };
      readonly [field: string]: unknown;
    };
  };
  readonly [field: string]: unknown;
};

export type PlaceDto = {
  readonly metadata: {
    readonly name?: string;
    readonly state?: string;
    readonly city?: string;
    readonly zip_code?: string;
    readonly first_line?: string;
    readonly second_line?: string | null;
    readonly phone_number?: string | null;
    readonly fax_number?: string | null;
    readonly hours?: {
      readonly [field: string]: unknown;
    } | null;
    readonly [field: string]: unknown;
  } | null;
  /** Miles. */
  readonly distance: number | null;
  /** What the place offers, e.g. whether appointments can be booked; upstream may add values. */
  readonly capabilities: readonly string[];
  readonly [field: string]: unknown;
};

export type PlacesDto = {
  readonly lab_id: number | null;
  readonly slug: string | null;
  /** In upstream's order. */
  readonly patient_service_centers: readonly PlaceDto[];
  readonly [field: string]: unknown;
};

export type PatientDetailsBody = {
  readonly first_name: string;
  readonly last_name: string;
  readonly dob: string;
  /** female, male, other, unknown. */
  readonly gender: string;
  readonly phone_number: string;
  readonly email: string;
};

export type PatientAddressBody = {
  readonly first_line: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
  readonly country: string;
  readonly access_notes?: string | null;
};

export type OrderAddOnBody = {
  readonly marker_ids?: readonly number[] | null;
  /** Not together with marker_ids. */
  readonly provider_ids?: readonly string[] | null;
};

export type OrderSetBody = {
  readonly lab_test_ids?: readonly string[] | null;
  /** Requires collection_method. */
  readonly add_on?: OrderAddOnBody | null;
};

export type PlaceOrderBody = {
  /** Use either account_id or user_id. */
  readonly account_id?: string | null;
  /** Upstream user id of an account. */
  readonly user_id?: string | null;
  readonly patient_details: PatientDetailsBody;
  readonly patient_address: PatientAddressBody;
  /** Use either order_set or lab_test_id. */
  readonly order_set?: OrderSetBody | null;
  /** @deprecated */
  readonly lab_test_id?: string | null;
  /** testkit, walk_in_test, at_home_phlebotomy, on_site_collection. */
  readonly collection_method?: string | null;
  readonly consents?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  readonly physician?: {
    readonly [field: string]: unknown;
  } | null;
  /** A future date schedules the order. */
  readonly activate_by?: string | null;
  readonly priority?: boolean;
  readonly icd_codes?: readonly string[] | null;
  readonly aoe_answers?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /**
   * Attached to the order, which is found by it after a lost response: give every order its own. If
   * omitted, Pulsekeep generates one.
   */
  readonly passthrough?: string | null;
};

export type PlacedOrderDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
  /** Null if its user has no account. */
  readonly account_id: string | null;
  /** True while the lab reports one of its results as critical. */
  readonly critical: boolean;
  /** True if at least one critical result has no record that the patient was informed. */
  readonly critical_unnotified: boolean;
  /** Earlier name of critical_unnotified. @deprecated */
  readonly critical_untold: boolean;
  /** Sorted by time, then id. */
  readonly events: readonly OrderEventDto[];
  readonly appointments: readonly AppointmentDto[];
  /** Latest record that the patient was informed of critical results; null if none. */
  readonly critical_notified: ToldDto | null;
  /** Earlier name of critical_notified. @deprecated */
  readonly critical_told: ToldDto | null;
  /** Critical results as the lab reported them; null without the role reader. */
  readonly critical_results: readonly CriticalResultDto[] | null;
  /** True if returned from the database without a call to upstream. */
  readonly replayed: boolean;
};

export type CancelledOrderDto = {
  readonly order_id: string;
  readonly order_transaction_id: string | null;
  readonly origin: string | null;
  /** Order it was derived from; null if none. */
  readonly parent_id: string | null;
  readonly lab_test_name: string | null;
  readonly lab_name: string | null;
  readonly collection_method: string | null;
  /** The lab's id of the sample; null until there is a requisition. */
  readonly sample_id: string | null;
  readonly expected_result_by_date: string | null;
  readonly worst_case_result_by_date: string | null;
  /** Date from which the lab works on it; null: immediately. */
  readonly activate_by: string | null;
  readonly status: string | null;
  readonly status_detail: string | null;
  readonly status_at: string | null;
  readonly created_at: string;
  /** Null while only the ids are known. */
  readonly updated_at: string | null;
  /** Null if its user has no account. */
  readonly account_id: string | null;
  /** True while the lab reports one of its results as critical. */
  readonly critical: boolean;
  /** True if at least one critical result has no record that the patient was informed. */
  readonly critical_unnotified: boolean;
  /** Earlier name of critical_unnotified. @deprecated */
  readonly critical_untold: boolean;
  /** Sorted by time, then id. */
  readonly events: readonly OrderEventDto[];
  readonly appointments: readonly AppointmentDto[];
  /** Latest record that the patient was informed of critical results; null if none. */
  readonly critical_notified: ToldDto | null;
  /** Earlier name of critical_notified. @deprecated */
  readonly critical_told: ToldDto | null;
  /** Critical results as the lab reported them; null without the role reader. */
  readonly critical_results: readonly CriticalResultDto[] | null;
  /** Appointments that may still be active, because cancelling an order may not cancel them. */
  readonly open_appointments: readonly string[];
};

export type SyncRequest = {
  /** Default: every synced resource. */
  readonly resources?: readonly (
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'blood_pressure'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'cholesterol'
    | 'daylight_exposure'
    | 'distance'
    | 'electrocardiogram_voltage'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'ige'
    | 'igg'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'note'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'sleep_breathing_disturbance'
    | 'stand_duration'
    | 'stand_hour'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke'
    | 'activity'
    | 'body'
    | 'electrocardiogram'
    | 'meal'
    | 'menstrual_cycle'
    | 'profile'
    | 'sleep'
    | 'sleep_cycle'
    | 'workouts'
  )[];
  /** Start of the window. Default: SYNC_BACKFILL_DAYS before `end`. */
  readonly start?: string;
  /** End of the window. Default and maximum: now. */
  readonly end?: string;
};

export type SyncReceipt = {
  readonly account_id: string;
  /** Pull tasks; see /sync/tasks. */
  readonly task_ids: readonly number[];
};

export type TaskDto = {
  readonly id: number;
  readonly account_id: string;
  /** Null for all sources. */
  readonly provider: string | null;
  readonly resource: string;
  readonly origin: 'schedule' | 'connection' | 'historical' | 'reread' | 'operator' | 'recovery';
  /** Recovery it belongs to; null if none. */
  readonly recovery_id: number | null;
  readonly status: 'pending' | 'running' | 'done' | 'failed';
  readonly start: string;
  readonly end: string;
  /** Cursor of the next page. */
  readonly cursor: string | null;
  readonly pages: number;
  /** Records received. */
  readonly records: number;
  /** Records that were new or changed. */
  readonly written: number;
  /** Records that could not be stored. */
  readonly rejected: number;
  readonly attempts: number;
  /** Failures since the last successful page. */
  readonly failures: number;
  /** Restarts because the cursor was no longer usable. */
  readonly restarts: number;
  readonly last_error: string | null;
  readonly share_done: number;
  readonly estimated_end: string | null;
  readonly due_at: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
};

export type RejectionDto = {
  readonly reason:
    | 'no_object'
    | 'unreadable_group'
    | 'no_provider'
    | 'no_id'
    | 'no_time'
    | 'unreadable_time'
    | 'time_out_of_range'
    | 'ends_before_start'
    | 'offset_out_of_range'
    | 'repeated'
    | 'no_value'
    | 'unreadable_value'
    | 'nul_in_text'
    | 'key_too_long'
    | 'attributes_too_long';
  readonly count: number;
};

export type TaskDetailDto = {
  readonly id: number;
  readonly account_id: string;
  /** Null for all sources. */
  readonly provider: string | null;
  readonly resource: string;
  readonly origin: 'schedule' | 'connection' | 'historical' | 'reread' | 'operator' | 'recovery';
  /** Recovery it belongs to; null if none. */
  readonly recovery_id: number | null;
  readonly status: 'pending' | 'running' | 'done' | 'failed';
  readonly start: string;
  readonly end: string;
  /** Cursor of the next page. */
  readonly cursor: string | null;
  readonly pages: number;
  /** Records received. */
  readonly records: number;
  /** Records that were new or changed. */
  readonly written: number;
  /** Records that could not be stored. */
  readonly rejected: number;
  readonly attempts: number;
  /** Failures since the last successful page. */
  readonly failures: number;
  /** Restarts because the cursor was no longer usable. */
  readonly restarts: number;
  readonly last_error: string | null;
  readonly share_done: number;
  readonly estimated_end: string | null;
  readonly due_at: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  /** Rejected records that no later pull returned again. */
  readonly rejections: readonly RejectionDto[];
};

export type TaskCounts = {
  readonly pending: number;
  readonly running: number;
  readonly done: number;
  readonly failed: number;
};

export type ProgressDto = {
  readonly tasks: TaskCounts;
  readonly share_done: number;
  readonly pages: number;
  readonly records: number;
  readonly written: number;
  readonly estimated_end: string | null;
  /** Age of the oldest due task, without recoveries. */
  readonly lag_seconds: number;
};

export type PullDto = {
  readonly account_id: string;
  readonly provider: string;
  /** Resource, as named in upstream's events. */
  readonly resource: string;
  /** Status from upstream. */
  readonly status: string;
  readonly days_with_data: number | null;
  readonly range_start: string | null;
  readonly range_end: string | null;
  readonly release: string | null;
  /** Id to quote to upstream's support. */
  readonly trace_id: string | null;
  readonly error_details: string | null;
  readonly scheduled_at: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** Task that fetches the data of this pull; null if none. */
  readonly task_id: number | null;
  /** When this state was first seen. */
  readonly observed_at: string;
};

export type SeriesFetchDto = {
  readonly id: number;
  readonly account_id: string;
  /** Workout id from upstream; also the id of its record. */
  readonly workout_id: string;
  readonly status: 'due' | 'done' | 'failed';
  /** Events that announced the series. */
  readonly requests: number;
  /** Failures since the latest event. */
  readonly failures: number;
  /** Why it waits or failed, e.g. unknown_workout, foreign_user, foreign_workout, stream_too_large. */
  readonly last_error: string | null;
  /** Time of the first event. */
  readonly requested_at: string;
  readonly due_at: string | null;
  readonly stored_at: string | null;
};

export type DisconnectionDto = {
  readonly provider: string;
  /**
   * disconnected: by this call. already_disconnected: before this call. not_connected: no such source of
   * the account is known.
   */
  readonly outcome: 'disconnected' | 'already_disconnected' | 'not_connected';
  readonly disconnected_at: string | null;
  /**
   * may_return: a source on the phone, which upstream reconnects at its next sync if the SDK connects
   * automatically (its default).
   */
  readonly afterwards: 'stays_disconnected' | 'may_return';
  /** What upstream does from now on, as a sentence. */
  readonly note: string;
};

export type SuccessorEvidenceDto = {
  readonly connected: boolean;
  /**
   * Upstream pulled the history of at least one resource, all of it is stored, and no pull is open or
   * failed.
   */
  readonly history_complete: boolean;
  readonly records_stored: boolean;
  /** The newest stored record is later than the connection. */
  readonly new_record: boolean;
};

export type RetirementDto = {
  /** Last day of the provider's API. */
  readonly retired_on: string;
  /** Provider to connect instead. */
  readonly successor: string;
  /** Null if the person never connected it. */
  readonly successor_status: string | null;
  readonly successor_connected_at: string | null;
  readonly evidence: SuccessorEvidenceDto;
  /** True with all evidence: the old source can be disconnected without a gap. */
  readonly ready_to_disconnect: boolean;
};

export type SourceDto = {
  readonly account_id: string;
  readonly provider: string;
  /** connected, error or paused; upstream may add values. */
  readonly status: string;
  readonly error_type: string | null;
  readonly connected_at: string | null;
  /** When a record of the source was last added, changed or hidden. */
  readonly data_changed_at: string | null;
  /** When upstream last reported this state. */
  readonly observed_at: string;
  /** Null for a provider that is not retired. */
  readonly retirement: RetirementDto | null;
};

export type MessageDto = {
  readonly message_id: string;
  readonly status: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
  /** Why it is ignored, dead, retried or partly stored; else null. */
  readonly reason: string | null;
  readonly event_type: string | null;
  readonly account_id: string | null;
  /** Time of the first delivery. */
  readonly received_at: string;
  /** Upstream's timestamp of that delivery. */
  readonly sent_at: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly finished_at: string | null;
  /** Size of the body in bytes, as received. */
  readonly size: number;
  /** True while the body is stored. */
  readonly has_body: boolean;
};

export type MessageGroupDto = {
  readonly event_type: string | null;
  readonly status: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
  readonly reason: string | null;
  readonly count: number;
  readonly first_received_at: string;
  readonly last_received_at: string;
};

export type MessageGroupsDto = {
  /** At most 100 groups, largest first. */
  readonly data: readonly MessageGroupDto[];
  /** Messages that were grouped: the newest matches, at most 10,000. */
  readonly searched: number;
};

export type MessageOutcomeDto = {
  readonly at: string;
  readonly status: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
  readonly reason: string | null;
};

export type MessageDetailDto = {
  readonly message_id: string;
  readonly status: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
  /** Why it is ignored, dead, retried or partly stored; else null. */
  readonly reason: string | null;
  readonly event_type: string | null;
  readonly account_id: string | null;
  /** Time of the first delivery. */
  readonly received_at: string;
  /** Upstream's timestamp of that delivery. */
  readonly sent_at: string;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly finished_at: string | null;
  /** Size of the body in bytes, as received. */
  readonly size: number;
  /** True while the body is stored. */
  readonly has_body: boolean;
  /** Records of the message that could not be stored. */
  readonly rejections: readonly RejectionDto[];
  /**
   * How attempts ended, oldest first: at most the last 20; of attempts in a row that failed for the same
   * reason, the last one.
   */
  readonly outcomes: readonly MessageOutcomeDto[];
  /** Sentence on whether a replay can help; null if nothing speaks against it. */
  readonly replay_advice: string | null;
  /** Body, if it is JSON; else null. */
  readonly body?:
    | {
        readonly [field: string]: unknown;
      }
    | readonly unknown[]
    | string
    | number
    | boolean
    | null;
  /** Body in base64, if it is not JSON; else null. */
  readonly body_base64?: string | null;
};

export type ReplayFilter = {
  readonly status?: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
  readonly event_type?: string;
  /**
   * Why it is ignored, dead or waiting, e.g. unknown_user, waiting_for_user, user_mismatch,
   * nested_too_deep, unreadable_data, unknown_event.
   */
  readonly reason?: string;
  /** Received at or after this time. */
  readonly from?: string;
  /** Received before this time. */
  readonly to?: string;
  /** Message ids; not together with conditions. */
  readonly message_ids?: readonly string[];
  /** Only count the messages. */
  readonly dry_run?: boolean;
};

export type ReplayForecastDto = {
  /** Messages to replay. */
  readonly count: number;
  /**
   * Matching messages that cannot be replayed because their bodies were deleted
   * (MESSAGE_RETENTION_DAYS).
   */
  readonly without_body: number;
  /** True if more messages match than the 50,000 that were counted; both numbers are then lower bounds. */
  readonly more: boolean;
};

export type ReplayedFilterDto = {
  readonly status?: string;
  readonly reason?: string;
  readonly event_type?: string;
  readonly from?: string;
  readonly to?: string;
};

export type ReplayDto = {
  /** Messages to replay. */
  readonly count: number;
  /**
   * Matching messages that cannot be replayed because their bodies were deleted
   * (MESSAGE_RETENTION_DAYS).
   */
  readonly without_body: number;
  readonly replay_id: number;
  /** A cancelled replay still processes the messages that were already queued. */
  readonly state: 'running' | 'cancelling' | 'done' | 'cancelled';
  /** Null for a replay by ids. */
  readonly filter: ReplayedFilterDto | null;
  /** Messages queued so far. */
  readonly replayed: number;
  /** Applied at the first attempt. */
  readonly applied: number;
  /** Ignored because there was nothing to apply. */
  readonly ignored: number;
  /** Failed at the first attempt; retried automatically. */
  readonly retrying: number;
  /** Failed permanently at the first attempt. */
  readonly failed: number;
  /** Messages of `count` not attempted yet; 0 when done. */
  readonly left: number;
  readonly created_at: string;
  readonly cancelled_at: string | null;
  readonly finished_at: string | null;
};

export type RecoveryRequest = {
  /** Start of the window, in the past. */
  readonly from: string;
  /** End of the window, at most 366 days after `from`. Maximum: now. */
  readonly to: string;
  /** Only estimate the cost. */
  readonly dry_run?: boolean;
  /** Default: every synced resource. */
  readonly resources?: readonly (
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'blood_pressure'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'cholesterol'
    | 'daylight_exposure'
    | 'distance'
    | 'electrocardiogram_voltage'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'ige'
    | 'igg'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'note'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'sleep_breathing_disturbance'
    | 'stand_duration'
    | 'stand_hour'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke'
    | 'activity'
    | 'body'
    | 'electrocardiogram'
    | 'meal'
    | 'menstrual_cycle'
    | 'profile'
    | 'sleep'
    | 'sleep_cycle'
    | 'workouts'
  )[];
};

export type RecoveryWindow = {
  readonly from: string;
  /** Never later than the request. */
  readonly to: string;
};

export type RecoveryForecastDto = {
  readonly window: RecoveryWindow;
  readonly resources: readonly string[];
  /** Accounts with an upstream user. */
  readonly accounts: number;
  /** Connected sources. */
  readonly sources: number;
  /** One per resource and account that has or had a source. */
  readonly pulls: number;
  /** Minimum number of calls to upstream, estimated from the pages of the latest pulls. */
  readonly estimated_calls: number;
  /** With the full call budget and no other work. */
  readonly estimated_seconds: number;
};

export type RecoveryDto = {
  readonly recovery_id: number;
  readonly state: 'planning' | 'pulling' | 'done';
  readonly window: RecoveryWindow;
  readonly resources: readonly string[];
  readonly accounts: number;
  /** Accounts whose pulls are queued. */
  readonly accounts_planned: number;
  /** Pulls queued so far. */
  readonly planned: number;
  /** Of these pulls, those already queued by another request. */
  readonly joined: number;
  /** Pulls left to another open recovery; not counted here. */
  readonly shared: number;
  readonly pending: number;
  readonly running: number;
  readonly done: number;
  /** Pulls that failed permanently; see /sync/tasks?status=failed. */
  readonly failed: number;
  /** Pages read, one call each. */
  readonly calls: number;
  /** Share of pulls that are done or failed. */
  readonly share_done: number;
  readonly estimated_end: string | null;
  readonly created_at: string;
  readonly planned_at: string | null;
  readonly finished_at: string | null;
};

export type AuditRequest = {
  readonly account_id: string;
  /** Default: every pulled resource. */
  readonly resource?:
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'blood_pressure'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'cholesterol'
    | 'daylight_exposure'
    | 'distance'
    | 'electrocardiogram_voltage'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'ige'
    | 'igg'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'note'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'sleep_breathing_disturbance'
    | 'stand_duration'
    | 'stand_hour'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke'
    | 'activity'
    | 'body'
    | 'electrocardiogram'
    | 'meal'
    | 'menstrual_cycle'
    | 'sleep'
    | 'sleep_cycle'
    | 'workouts';
  /** First UTC day. */
  readonly first_day: string;
  /** Last UTC day, at most 400 days in all. */
  readonly last_day: string;
  /** Change nothing. */
  readonly report_only?: boolean;
  /** Repair also where more than DELETION_HOLD_SHARE of the records differ. */
  readonly repair_all?: boolean;
};

export type DifferenceCountsDto = {
  /** Objects that upstream has and that were not stored. */
  readonly missing: number;
  /** Stored objects that upstream does not have. */
  readonly extra: number;
  /** Objects whose fields differ. */
  readonly different: number;
};

export type CauseCountsDto = {
  readonly mapping: number;
  readonly lost: number;
  readonly rejected: number;
  readonly late: number;
  readonly upstream_changed: number;
};

export type AuditDto = {
  readonly audit_id: number;
  readonly state: 'waiting' | 'comparing' | 'repairing' | 'done' | 'cancelled' | 'failed';
  /**
   * request: an operator asked for it. sample: one of those that prove everybody's days in turn.
   * question: of a day that somebody had explained; it comes before the samples.
   */
  readonly origin: 'request' | 'sample' | 'question';
  readonly account_id: string;
  /** Null for every resource. */
  readonly resource: string | null;
  readonly first_day: string;
  readonly last_day: string;
  readonly report_only: boolean;
  readonly repair_all: boolean;
  /** Days of a source and resource that are over. */
  readonly days_total: number;
  /** Those compared. A source that changed during the look is left out. */
  readonly days_compared: number;
  /** Days that are equal. This and the following: unless audited again since. */
  readonly proven: number;
  /** Those of them that were repaired. */
  readonly repaired: number;
  /** Days that are being repaired. */
  readonly repairing: number;
  /** Days with too many differences to repair them without `repair_all`. */
  readonly held: number;
  /** Days that are not equal. */
  readonly different: number;
  /** Found differences, also of days that were repaired. */
  readonly differences: DifferenceCountsDto;
  /**
   * Days with differences, by cause. mapping: a complete pull did not make the day equal, so this
   * program loses something. lost: upstream has what was proven before, so what is stored has changed.
   * rejected: records of the day cannot be stored. late: no pull has read the day since devices have
   * sent their data. upstream_changed: anything else; upstream has added, changed or deleted data since
   * the last pull.
   */
  readonly causes: CauseCountsDto;
  /** Upstream's objects. */
  readonly objects: number;
  /** Calls to upstream, without those of repairs. */
  readonly calls: number;
  readonly share_done: number;
  /** Code of the last failure. */
  readonly error: string | null;
  readonly created_at: string;
  readonly cancelled_at: string | null;
  readonly finished_at: string | null;
};

export type DayProofDto = {
  readonly resource: string;
  readonly provider: string;
  /** UTC day. */
  readonly day: string;
  /**
   * proven: equal with upstream. repairing: the day is pulled and compared again. held: too many
   * differences to repair it without repair_all. different: not equal.
   */
  readonly state: 'proven' | 'repairing' | 'held' | 'different';
  /** SHA-256 of upstream's list in the canonical form. */
  readonly hash: string;
  /** Upstream's objects. */
  readonly objects: number;
  readonly looked_at: string;
  /** When it was last proven equal. */
  readonly proven_at: string | null;
  /** Found differences, also if the day was repaired since. */
  readonly differences: DifferenceCountsDto;
  /** Names of the fields that differed. */
  readonly fields: readonly string[];
  /**
   * mapping: a complete pull did not make the day equal, so this program loses something. lost: upstream
   * has what was proven before, so what is stored has changed. rejected: records of the day cannot be
   * stored. late: no pull has read the day since devices have sent their data. upstream_changed:
   * anything else; upstream has added, changed or deleted data since the last pull.
   */
  readonly cause: 'mapping' | 'lost' | 'rejected' | 'late' | 'upstream_changed' | null;
  readonly audit_id: number;
  /** Pull that repairs or repaired the day. */
  readonly task_id: number | null;
};

export type ChangedSamplesDto = {
  /** Time of the first changed sample. */
  readonly start: string;
  /** Time of the last changed sample. */
  readonly end: string;
  /** Number of changed samples. */
  readonly count: number;
  /** First local day, by the samples' offsets. */
  readonly first_day: string;
  /** Last local day. */
  readonly last_day: string;
};

export type ChangeDto = {
  /** Unique; equals `cursor`. */
  readonly id: string;
  /** Pass it as `after` to continue after this change. */
  readonly cursor: string;
  /** When the change was stored. */
  readonly time: string;
  readonly kind:
    | 'account'
    | 'source'
    | 'history.complete'
    | 'samples'
    | 'sample_hours'
    | 'summary'
    | 'order'
    | 'order_transaction'
    | 'redraw'
    | 'appointment'
    | 'result'
    | 'critical_result'
    | 'erasure'
    | 'alarm'
    | 'answers';
  readonly action: 'created' | 'changed' | 'gone';
  /**
   * live: reported by upstream. history: from a pull of past data. repair: from a pull that checks for
   * wrong or missing data, or no longer returned by upstream. replay: from a replayed message.
   * retention: kept for no longer here (SAMPLES_KEEP_DAYS), whatever upstream has.
   */
  readonly origin: 'live' | 'history' | 'repair' | 'replay' | 'retention';
  /** Null for changes without an account, and once the account is erased. */
  readonly account_id: string | null;
  /** Account number: never reused, and still present in the change that reports the erasure. */
  readonly account_ref: number | null;
  /**
   * Id of the changed object, unique per kind and account; of answers, the rule that changed: time_zone
   * or source_priorities/ and a data type.
   */
  readonly subject: string;
  /** Only for samples, their hours, summaries and history. */
  readonly resource: string | null;
  /** Only for samples, summaries, sources and history. */
  readonly provider: string | null;
  /** Only for samples, and for sample_hours: the samples that they replace. */
  readonly samples: ChangedSamplesDto | null;
  /**
   * Current state, which may be newer than the change; null if there is none. Only for keys that may
   * read values. For samples, `samples` has the whole series from `start` to `end`, or null if there are
   * more than 1000; for sample_hours, `hours` likewise.
   */
  readonly data?: {
    readonly [field: string]: unknown;
  } | null;
};

export type ChangePageDto = {
  readonly data: readonly ChangeDto[];
  /** Pass it as `after` to continue, also after an empty page. */
  readonly next: string;
  /** True if nothing follows `next` yet. */
  readonly up_to_date: boolean;
};

export type SnapshotRequest = {
  /** Only changes of this account. */
  readonly account_id?: string;
  /** Only these kinds; default all that the key may read. */
  readonly kinds?: readonly (
    | 'account'
    | 'source'
    | 'history.complete'
    | 'samples'
    | 'sample_hours'
    | 'summary'
    | 'order'
    | 'order_transaction'
    | 'redraw'
    | 'appointment'
    | 'result'
    | 'critical_result'
    | 'erasure'
    | 'alarm'
    | 'answers'
  )[];
};

export type ConsumerPositionRequest = {
  /** Cursor up to which all changes are processed. */
  readonly cursor: string;
};

export type ConsumerDto = {
  readonly name: string;
  /** Name of the key that reported the position. */
  readonly reported_by: string;
  readonly cursor: string;
  /** When the position was reported. */
  readonly reported_at: string;
  /** Changes after the position. */
  readonly lag: number;
  /** Age of the oldest change after the position, in seconds; 0 if there is none. */
  readonly lag_seconds: number;
  /** True if the feed cannot continue after the position: the consumer must start over. */
  readonly expired: boolean;
};

export type ConsumersDto = {
  readonly data: readonly ConsumerDto[];
};

export type SubscriptionRequest = {
  /**
   * URL that receives each push as a POST: https with a public address, unless PUSH_ALLOWED_NETWORKS
   * allows others. Or a broker: `nats+tls://HOST?prefix=P` (JetStream) or
   * `amqps://HOST/VHOST?exchange=E&prefix=P` (RabbitMQ); `nats://` and `amqp://` like http.
   */
  readonly url: string;
  readonly description?: string | null;
  /**
   * thin: the change, without health values. whole: also the current state, as in GET /v1/changes with
   * values. fhir: what changed as a Bundle of FHIR R4 (application/fhir+json), as GET with that Accept
   * gives it; needs kinds of result, order and order_transaction. text: `{"text": "..."}` for Slack,
   * Mattermost and Google Chat; teams: a card for Microsoft Teams; pagerduty: an event of its Events API
   * v2, with PAGERDUTY_ROUTING_KEY. text, teams and pagerduty need kinds ["alarm"].
   */
  readonly payload?: 'thin' | 'whole' | 'fhir' | 'text' | 'teams' | 'pagerduty';
  /** Null: all. */
  readonly kinds?:
    | readonly (
        | 'account'
        | 'source'
        | 'history.complete'
        | 'samples'
        | 'sample_hours'
        | 'summary'
        | 'order'
        | 'order_transaction'
        | 'redraw'
        | 'appointment'
        | 'result'
        | 'critical_result'
        | 'erasure'
        | 'alarm'
        | 'answers'
      )[]
    | null;
  /** Resources whose record changes are sent; other kinds are not affected. Null: all. */
  readonly resources?:
    | readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
      )[]
    | null;
  /** Null: all. */
  readonly origins?: readonly ('live' | 'history' | 'repair' | 'replay' | 'retention')[] | null;
  /** Only changes of this account. The subscription is deleted when the account is erased. */
  readonly account_id?: string;
  /** Feed cursor to start after. Default: now. */
  readonly after?: string;
};

export type SubscriptionWithSecretDto = {
  readonly subscription_id: string;
  readonly url: string;
  readonly description: string | null;
  readonly payload: 'thin' | 'whole' | 'fhir' | 'text' | 'teams' | 'pagerduty';
  /** Null: all. */
  readonly kinds: readonly string[] | null;
  /** Null: all. */
  readonly resources: readonly string[] | null;
  /** Null: all. */
  readonly origins: readonly string[] | null;
  /** Null: all. */
  readonly account_id: string | null;
  readonly state: 'active' | 'disabled';
  /** Why it is disabled; null while active. */
  readonly reason: 'operator' | 'failing' | 'gone' | 'fell_behind' | 'feed_restarted' | null;
  /** Feed cursor up to which changes are in the log. */
  readonly position: string;
  /** Changes after the position, including those filtered out. */
  readonly behind: number;
  /** Accounts whose pushes failed or took too long; their later changes wait. */
  readonly accounts_waiting: number;
  readonly created_at: string;
  /** Time of the last successful push. */
  readonly delivered_at: string | null;
  /** Time of the first failure since then; null while pushes succeed. */
  readonly failing_since: string | null;
  /** Code of the last failure. */
  readonly last_error: string | null;
  /** HTTP status of that failure. */
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  /** Time until which the previous secret also signs. */
  readonly previous_secret_until: string | null;
  /** Standard Webhooks secret. Shown only in this response; rotate it if it is lost. */
  readonly secret: string;
};

export type SubscriptionDto = {
  readonly subscription_id: string;
  readonly url: string;
  readonly description: string | null;
  readonly payload: 'thin' | 'whole' | 'fhir' | 'text' | 'teams' | 'pagerduty';
  /** Null: all. */
  readonly kinds: readonly string[] | null;
  /** Null: all. */
  readonly resources: readonly string[] | null;
  /** Null: all. */
  readonly origins: readonly string[] | null;
  /** Null: all. */
  readonly account_id: string | null;
  readonly state: 'active' | 'disabled';
  /** Why it is disabled; null while active. */
  readonly reason: 'operator' | 'failing' | 'gone' | 'fell_behind' | 'feed_restarted' | null;
  /** Feed cursor up to which changes are in the log. */
  readonly position: string;
  /** Changes after the position, including those filtered out. */
  readonly behind: number;
  /** Accounts whose pushes failed or took too long; their later changes wait. */
  readonly accounts_waiting: number;
  readonly created_at: string;
  /** Time of the last successful push. */
  readonly delivered_at: string | null;
  /** Time of the first failure since then; null while pushes succeed. */
  readonly failing_since: string | null;
  /** Code of the last failure. */
  readonly last_error: string | null;
  /** HTTP status of that failure. */
  readonly last_status: number | null;
  readonly next_attempt_at: string | null;
  /** Time until which the previous secret also signs. */
  readonly previous_secret_until: string | null;
};

export type SubscriptionPatch = {
  /**
   * URL that receives each push as a POST: https with a public address, unless PUSH_ALLOWED_NETWORKS
   * allows others. Or a broker: `nats+tls://HOST?prefix=P` (JetStream) or
   * `amqps://HOST/VHOST?exchange=E&prefix=P` (RabbitMQ); `nats://` and `amqp://` like http.
   */
  readonly url?: string;
  readonly description?: string | null;
  /**
   * thin: the change, without health values. whole: also the current state, as in GET /v1/changes with
   * values. fhir: what changed as a Bundle of FHIR R4 (application/fhir+json), as GET with that Accept
   * gives it; needs kinds of result, order and order_transaction. text: `{"text": "..."}` for Slack,
   * Mattermost and Google Chat; teams: a card for Microsoft Teams; pagerduty: an event of its Events API
   * v2, with PAGERDUTY_ROUTING_KEY. text, teams and pagerduty need kinds ["alarm"].
   */
  readonly payload?: 'thin' | 'whole' | 'fhir' | 'text' | 'teams' | 'pagerduty';
  /** Null: all. */
  readonly kinds?:
    | readonly (
        | 'account'
        | 'source'
        | 'history.complete'
        | 'samples'
        | 'sample_hours'
        | 'summary'
        | 'order'
        | 'order_transaction'
        | 'redraw'
        | 'appointment'
        | 'result'
        | 'critical_result'
        | 'erasure'
        | 'alarm'
        | 'answers'
      )[]
    | null;
  /** Resources whose record changes are sent; other kinds are not affected. Null: all. */
  readonly resources?:
    | readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
      )[]
    | null;
  /** Null: all. */
  readonly origins?: readonly ('live' | 'history' | 'repair' | 'replay' | 'retention')[] | null;
};

export type RotationRequest = {
  /** Hours in which pushes are also signed with the previous secret; 0 ends it immediately. */
  readonly previous_valid_hours?: number;
};

export type EnableRequest = {
  /** Feed cursor to start after. Default: now. */
  readonly after?: string;
};

export type PushTestDto = {
  readonly delivered: boolean;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly error:
    | 'status'
    | 'redirect'
    | 'gone'
    | 'timeout'
    | 'connection'
    | 'name_unknown'
    | 'tls'
    | 'unroutable'
    | 'broker_refused'
    | 'login_refused'
    | 'address_refused'
    | 'signing_key_missing'
    | 'routing_key_missing'
    | 'expired'
    | null;
  readonly duration_ms: number;
};

export type PushDto = {
  /** Id of the change; also the `webhook-id` of the push. */
  readonly change_id: string;
  readonly kind:
    | 'account'
    | 'source'
    | 'history.complete'
    | 'samples'
    | 'sample_hours'
    | 'summary'
    | 'order'
    | 'order_transaction'
    | 'redraw'
    | 'appointment'
    | 'result'
    | 'critical_result'
    | 'erasure'
    | 'alarm'
    | 'answers';
  readonly account_id: string | null;
  readonly state: 'waiting' | 'delivered' | 'given_up';
  /** Attempts since the push was recorded or resent by an operator. */
  readonly attempts: number;
  /** HTTP status of the last attempt. */
  readonly status: number | null;
  readonly error:
    | 'status'
    | 'redirect'
    | 'gone'
    | 'timeout'
    | 'connection'
    | 'name_unknown'
    | 'tls'
    | 'unroutable'
    | 'broker_refused'
    | 'login_refused'
    | 'address_refused'
    | 'signing_key_missing'
    | 'routing_key_missing'
    | 'expired'
    | null;
  readonly duration_ms: number | null;
  readonly created_at: string;
  readonly attempted_at: string | null;
};

export type PushReplayRequest = {
  readonly state?: 'waiting' | 'delivered' | 'given_up';
  readonly kind?:
    | 'account'
    | 'source'
    | 'history.complete'
    | 'samples'
    | 'sample_hours'
    | 'summary'
    | 'order'
    | 'order_transaction'
    | 'redraw'
    | 'appointment'
    | 'result'
    | 'critical_result'
    | 'erasure'
    | 'alarm'
    | 'answers';
  readonly account_id?: string;
  /** First recorded at or after this time. */
  readonly start?: string;
  /** First recorded before this time. */
  readonly end?: string;
  /** Former name of start. @deprecated */
  readonly from?: string;
  /** Former name of end. @deprecated */
  readonly to?: string;
  /** Feed cursor after which everything is resent, even if it is no longer in the log. */
  readonly after?: string;
};

export type PushReplayReceipt = {
  /** Pushes to resend; null with `after`. */
  readonly count: number | null;
};

export type AccessEntryDto = {
  /** Number in the chain, without gaps. */
  readonly seq: number;
  readonly at: string;
  /** Name of an admin key or a person, or app, cli, system. */
  readonly actor: string;
  /** Role of the key; null for other callers. */
  readonly role: 'monitor' | 'viewer' | 'reader' | 'operator' | 'backend' | 'feed' | null;
  readonly action: string;
  /** Account the entry is about; null once it is erased. */
  readonly account_id: string | null;
  /** Number of the account, kept after an erasure. */
  readonly account_ref: number | null;
  /** Other ids in the path. */
  readonly target: string | null;
  /** Resource that was read: a name, lab_results, or * for all. */
  readonly resource: string | null;
  /** Start of the requested time range; null if unbounded. */
  readonly window_start: string | null;
  /** End of the requested time range; null if unbounded. */
  readonly window_end: string | null;
  /** The operator's address. */
  readonly address: string | null;
  readonly request_id: string;
  /** HTTP status; 102 for an action that is about to begin. */
  readonly status: number;
  /** Value of the header x-access-reason. */
  readonly reason: string | null;
  /** Hash of the previous entry. */
  readonly previous_hash: string;
  /** Hash over all fields except account_id. */
  readonly hash: string;
};

export type VerificationDto = {
  /** Number of entries. */
  readonly entries: number;
  /** First stored entry; older ones were removed after six years. */
  readonly first_seq: number | null;
  readonly last_seq: number | null;
  /** Hash of the last entry. */
  readonly last_hash: string | null;
  readonly intact: boolean;
  /** Number of the first altered entry; null if intact. */
  readonly broken_at: number | null;
  readonly reason:
    | 'entry_missing'
    | 'entry_changed'
    | 'link_broken'
    | 'end_changed'
    | 'entry_unknown'
    | 'not_as_noted'
    | 'noted_missing'
    | 'chain_missing'
    | 'chain_restarted'
    | 'entries_lost'
    | 'removal_unrecorded'
    | 'removal_wrong'
    | 'removal_unsigned'
    | null;
  /** Parts of an intact chain that are unsigned, so anyone with write access could have forged them. */
  readonly unproven: readonly 'removal_unsigned'[];
  /** Number of recorded entries that are not chained yet, of which nothing is verified; 0 as a rule. */
  readonly unchained: number;
};

export type NotedEntry = {
  readonly seq: number;
  readonly hash: string;
};

export type VerificationRequest = {
  /** `seq` and `hash` of checkpoints, or of access_log.head lines in the log. */
  readonly noted: readonly NotedEntry[];
};

export type CheckpointDto = {
  /**
   * Compact JSON Web Signature (EdDSA) of `first_seq`, `seq` and `hash` of the last entry, and the time
   * `at`.
   */
  readonly checkpoint: string;
  /** Public key that verifies it, as PEM. */
  readonly public_key: string;
};

export type ErasureDto = {
  /** Receipt of the erasure. */
  readonly erasure_id: string;
  /** Number of the account in the access log. */
  readonly account_ref: number;
  /**
   * requested. deleting: rows are being deleted. upstream: only the two ids are left, until upstream has
   * deleted its user. waiting: everything is deleted, and checked again after the 7 days in which
   * upstream could restore it. done.
   */
  readonly state: 'requested' | 'deleting' | 'upstream' | 'waiting' | 'done';
  readonly requested_at: string;
  /** Name of the admin key; `person` for the person themselves. */
  readonly requested_by: string;
  /**
   * When it was written to the erasure journal, from which it is repeated after a restore; null without
   * a journal (ERASURE_JOURNAL_PATH).
   */
  readonly journaled_at: string | null;
  /** When only the two ids were left here. */
  readonly deleted_at: string | null;
  /** When upstream had deleted its user and the ids were deleted here. */
  readonly upstream_at: string | null;
  /** When deleted data was last scrubbed from the database files. */
  readonly scrubbed_at: string | null;
  /**
   * Method of the last scrub. rewritten: the file contains live rows only. overwritten: deleted rows are
   * zeroed, except for copies that SQLite may have left in unused parts of pages (the file was too large
   * to rewrite). vacuumed: PostgreSQL reuses their space over time. left_to_autovacuum: the same, but
   * tables over 1 GiB reuse it only after autovacuum, which comes when 1 % of their rows have changed.
   */
  readonly scrub: 'rewritten' | 'overwritten' | 'vacuumed' | 'left_to_autovacuum' | null;
  /** When the final check found no data. */
  readonly verified_at: string | null;
  /** When the next step is due. */
  readonly next_attempt_at: string | null;
  /** Failures since the last successful step. */
  readonly attempts: number;
  /** Reason for the last delay. user_found and rows_found: data had reappeared and was deleted again. */
  readonly error_code: string | null;
  /** Rows deleted, by table. */
  readonly deleted: {
    readonly [field: string]: number;
  };
  /** Later messages, pages, orders and sign-ins that were refused. */
  readonly turned_away: number;
};

export type FenceDto = {
  /** Receipt of the erasure. */
  readonly erasure_id: string;
  readonly fenced_at: string;
};

export type ProbeDto = {
  readonly status: string;
};

export type ReadinessDto = {
  readonly status: string;
  /** Only with WEBHOOK_AMQP_URL: whether this process consumes messages of the broker. */
  readonly broker?: 'consuming' | 'not_consuming';
};

export type ListedSourceDto = {
  readonly provider: string;
  /** connected, error, paused or disconnected; upstream may add values. */
  readonly status: string;
  /** When a record of the source was last added, changed or hidden. */
  readonly data_changed_at: string | null;
};

export type ListedAccountDto = {
  readonly account_id: string;
  /** Upstream user id. */
  readonly user_id: string | null;
  /** user_gone: upstream no longer has the user, so nothing is pulled until the account is relinked. */
  readonly status: 'pending' | 'active' | 'blocked' | 'erasing' | 'user_gone';
  readonly created_at: string;
  readonly updated_at: string;
  readonly linked_at: string | null;
  /** When the account was relinked. Earlier data came from the previous upstream user. */
  readonly relinked_at: string | null;
  readonly fallback_time_zone: string | null;
  readonly ingestion_start: string | null;
  readonly ingestion_end: string | null;
  /** Name of the account in logs (`account_ref`); null after erasure. */
  readonly log_ref: string | null;
  /** Sorted by provider; includes disconnected sources. */
  readonly sources: readonly ListedSourceDto[];
};

export type SuccessionDto = {
  /** Last day of the provider's API. */
  readonly retired_on: string;
  /** Provider to connect instead. */
  readonly successor: string;
};

export type ConnectionDto = {
  readonly provider: string;
  /** connected, error, paused or disconnected; upstream may add values. */
  readonly status: string;
  /** Cause of the error state. */
  readonly error_type: string | null;
  readonly error_at: string | null;
  readonly connected_at: string | null;
  /** Time of the newest stored record of this source. */
  readonly last_data_at: string | null;
  /**
   * When it was connected with another account at the provider than before, so that the records since
   * then may be those of another person; null if it never was.
   */
  readonly other_account_since: string | null;
  /** When upstream last reported this state. */
  readonly observed_at: string;
  /** Null for a provider that is not retired. */
  readonly retirement: SuccessionDto | null;
};

export type OverlapDto = {
  readonly provider: string;
  readonly successor: string;
  /** When the successor was connected. */
  readonly start: string;
  /** When the retired source was disconnected. */
  readonly end: string;
};

export type DeviceDto = {
  /** Id from upstream, as in `source.device_id` of records. */
  readonly device_id: string;
  readonly provider: string;
  readonly source_type: string | null;
  /** Null for callers without the role reader. */
  readonly manufacturer: string | null;
  /** Null for callers without the role reader. */
  readonly model: string | null;
  /** Null for callers without the role reader. */
  readonly version: string | null;
  readonly observed_at: string;
  /** When a second complete list from upstream lacked it; null while upstream has it. It stays stored. */
  readonly gone_at: string | null;
};

export type AccountDetailDto = {
  readonly account_id: string;
  /** Upstream user id. */
  readonly user_id: string | null;
  /** user_gone: upstream no longer has the user, so nothing is pulled until the account is relinked. */
  readonly status: 'pending' | 'active' | 'blocked' | 'erasing' | 'user_gone';
  readonly created_at: string;
  readonly updated_at: string;
  readonly linked_at: string | null;
  /** When the account was relinked. Earlier data came from the previous upstream user. */
  readonly relinked_at: string | null;
  readonly fallback_time_zone: string | null;
  readonly ingestion_start: string | null;
  readonly ingestion_end: string | null;
  /** Name of the account in logs (`account_ref`); null after erasure. */
  readonly log_ref: string | null;
  readonly fallback_birth_date: string | null;
  /** When upstream created the user; null if not reported. */
  readonly user_created_at: string | null;
  /** Provider of the time zone, or manual; null if upstream has not reported it. */
  readonly fallback_time_zone_source: string | null;
  readonly fallback_time_zone_updated_at: string | null;
  /** Provider of the birth date, or manual; null if upstream has not reported it. */
  readonly fallback_birth_date_source: string | null;
  readonly fallback_birth_date_updated_at: string | null;
  /** Sorted by provider; includes disconnected sources. */
  readonly connections: readonly ConnectionDto[];
  /** Periods in which a retired source and its successor were both connected and sent the same data. */
  readonly overlaps: readonly OverlapDto[];
  readonly devices: readonly DeviceDto[];
  /** Next poll of the sources from upstream; null if none. */
  readonly source_poll: WaitingWorkDto | null;
};

export type AccountCreation = {
  readonly fallback_time_zone?: string | null;
  readonly fallback_birth_date?: string | null;
  readonly ingestion_start?: string | null;
  readonly ingestion_end?: string | null;
  /** Must not be an e-mail address or a formatted phone number. */
  readonly account_id: string;
};

export type AccountDto = {
  readonly account_id: string;
  /** Upstream user id. */
  readonly user_id: string | null;
  /** user_gone: upstream no longer has the user, so nothing is pulled until the account is relinked. */
  readonly status: 'pending' | 'active' | 'blocked' | 'erasing' | 'user_gone';
  readonly created_at: string;
  readonly updated_at: string;
  readonly linked_at: string | null;
  /** When the account was relinked. Earlier data came from the previous upstream user. */
  readonly relinked_at: string | null;
  readonly fallback_time_zone: string | null;
  readonly ingestion_start: string | null;
  readonly ingestion_end: string | null;
  /** Name of the account in logs (`account_ref`); null after erasure. */
  readonly log_ref: string | null;
  readonly fallback_birth_date: string | null;
};

export type AccountSettings = {
  readonly fallback_time_zone?: string | null;
  readonly fallback_birth_date?: string | null;
  readonly ingestion_start?: string | null;
  readonly ingestion_end?: string | null;
};

export type AccountCountsDto = {
  readonly pending: number;
  readonly active: number;
  readonly blocked: number;
  readonly erasing: number;
  /** Upstream no longer has their user; relink these accounts. */
  readonly user_gone: number;
};

export type ConnectionCountDto = {
  readonly provider: string;
  /** connected, error, paused or disconnected; upstream may add values. */
  readonly status: string;
  /** Provider to connect instead of a retired one; else null. */
  readonly successor: string | null;
  readonly count: number;
};

export type ConnectionStatesDto = {
  readonly connected: number;
  /** Sources that send no data until the person reconnects them. */
  readonly error: number;
  readonly paused: number;
  /** No longer listed by upstream. */
  readonly disconnected: number;
  readonly other: number;
};

export type SourcePrioritiesOverviewDto = {
  /** Data types with a list set here for all accounts. */
  readonly set: number;
  /** When the oldest of upstream's lists was read; null if none was. */
  readonly upstream_read_at: string | null;
  /** Entries of upstream's lists ignored because they name no source. */
  readonly upstream_unreadable: number;
};

export type TokensOverviewDto = {
  /** True if token issuance is enabled. */
  readonly open: boolean;
  /** Installations that received more than five sign-in tokens in the last 24 hours. */
  readonly frequent_installations: number;
};

export type InboxDto = {
  /** Messages waiting to be applied, including retries. */
  readonly depth: number;
  readonly oldest_received_at: string | null;
  readonly oldest_age_seconds: number | null;
  /** Messages that failed permanently; replay them. */
  readonly dead: number;
  readonly last_delivery_at: string | null;
  /** True if a process consumes messages of the broker (WEBHOOK_AMQP_URL); null if none is configured. */
  readonly broker_consumed: boolean | null;
};

export type TaskCountsDto = {
  readonly pending: number;
  readonly running: number;
  readonly failed: number;
};

export type HistoricalPullCountsDto = {
  /** Pulls that upstream gave up. */
  readonly failed: number;
  /** When the oldest failure was observed. */
  readonly oldest_failed_at: string | null;
  readonly retrying: number;
  /** Pulls running for more than 24 hours. */
  readonly stuck: number;
  /** When the oldest stuck pull was scheduled. */
  readonly oldest_stuck_at: string | null;
};

export type SyncDto = {
  /** Age of the oldest incomplete window or overdue pull. */
  readonly lag_seconds: number;
  readonly tasks: TaskCountsDto;
  readonly historical_pulls: HistoricalPullCountsDto;
};

export type WaitingDto = {
  /** Kind of work: message, sync_task, source_poll, result_fetch, ... */
  readonly kind: string;
  /** Code of the last failure. */
  readonly last_error: string;
  readonly count: number;
};

export type DifferedDaysDto = {
  readonly cause: 'mapping' | 'lost' | 'rejected' | 'late' | 'upstream_changed';
  readonly found: number;
  /** Those of them that are not proven yet. */
  readonly open: number;
};

export type AuditOverviewDto = {
  /** Days that are not equal with upstream. */
  readonly different: number;
  /** Days whose repair waits for an operator. */
  readonly held: number;
  /** Days that differ through a fault of this program, or did until they were repaired within 24 hours. */
  readonly faults: number;
  /** Days that were compared. This and the following: at most ten minutes old. */
  readonly compared: number;
  /** Share of them that was proven equal within 7 days. */
  readonly proven_share_7_days: number;
  /** The same within 30 days. */
  readonly proven_share_30_days: number;
  /** Days compared within 7 days that differed at first, also repaired ones. */
  readonly differed_7_days: number;
  /** The same by cause. */
  readonly differences_7_days: readonly DifferedDaysDto[];
  /** Calls of the audits of 7 days, without those of repairs. */
  readonly calls_7_days: number;
  /** When the day was proven whose proof is the oldest. */
  readonly oldest_proof_at: string | null;
};

export type OrderCountsDto = {
  /** Order transactions whose patient must be informed of a redraw. */
  readonly needs_redraw: number;
  /** Those without a record that the patient was informed. */
  readonly redraws_untold: number;
  /** Orders skipped in upstream's list because they could not be parsed. */
  readonly unreadable: number;
  /** Unmatched results that wait for your decision. */
  readonly results_to_review: number;
  /** When the oldest of them was created. */
  readonly oldest_result_to_review_at: string | null;
  readonly critical_results: number;
  /** Those without a record that the patient was informed. */
  readonly critical_results_untold: number;
  /** When the newest one was first seen. */
  readonly newest_critical_result_at: string | null;
};

export type AlarmAcknowledgementDto = {
  /** Name of the key or of the person. */
  readonly by: string;
  readonly at: string;
  readonly reason: string;
};

export type AlarmDto = {
  readonly code:
    | 'critical_results'
    | 'store_refused'
    | 'database_file_lost'
    | 'database_went_back'
    | 'database_promoted'
    | 'rows_hidden'
    | 'numbers_repeated'
    | 'sessions_few'
    | 'replica_unused'
    | 'disk_low'
    | 'backup_late'
    | 'access_log_broken'
    | 'access_log_unchained'
    | 'worker_stuck'
    | 'rounds_failing'
    | 'inbox_unworked'
    | 'pulls_unworked'
    | 'upstream_key_refused'
    | 'upstream_away'
    | 'deliveries_refused'
    | 'deliveries_untimely'
    | 'deliveries_misaddressed'
    | 'deliveries_shed'
    | 'broker_not_consuming'
    | 'callers_waiting'
    | 'key_set_unreadable'
    | 'secret_files_refused'
    | 'fence_key_missing'
    | 'silence'
    | 'provider_silent'
    | 'other_account'
    | 'tokens_closed'
    | 'dead_messages'
    | 'foreign_messages'
    | 'failed_tasks'
    | 'failed_historical_pulls'
    | 'stuck_historical_pulls'
    | 'deletions_held'
    | 'audit_faults'
    | 'consumer_lagging'
    | 'order_list_stuck'
    | 'results_to_review'
    | 'results_given_up'
    | 'reads_given_up'
    | 'results_withdrawn'
    | 'redraws_untold'
    | 'redraws_overdue'
    | 'uploads_unknown'
    | 'frequent_sign_ins'
    | 'push_failing'
    | 'push_disabled'
    | 'erasures_held_up';
  /** critical: act immediately, also at night. warning: act within the working day. */
  readonly severity: 'critical' | 'warning';
  readonly message: string;
  /** What to do first. */
  readonly action: string;
  /** Command that does it or shows what is affected; capitals stand for what to fill in. */
  readonly command: string | null;
  /** Number of affected items; null if not countable. */
  readonly count: number | null;
  /** When the condition began, or was raised if that is unknown. */
  readonly since: string;
  /** When the alarm was raised. */
  readonly raised_at: string;
  /** Affected providers; empty if the alarm is not about providers. */
  readonly providers: readonly string[];
  /** Why, as codes, if the cause is known: for push_failing, the errors of the last pushes. */
  readonly reasons: readonly string[];
  /** Section of the runbook with the remedy. */
  readonly runbook: string;
  /** Who acknowledged the alarm, and why. Null if it is not acknowledged, or has grown since. */
  readonly acknowledged: AlarmAcknowledgementDto | null;
};

export type ReplicaDto = {
  /** True if lists, exports and snapshots are read from it. */
  readonly used: boolean;
  /** Why it is not used; `behind`: it lacks what was committed a second ago. */
  readonly reason: 'unseen' | 'untold' | 'unreachable' | 'writable' | 'other_database' | 'behind' | null;
  /** How much older than the primary it was at the last look; null if unknown. */
  readonly lag_seconds: number | null;
};

export type VersionsDto = {
  readonly pulsekeep: string;
  /** Last migration that ran. */
  readonly schema: string | null;
  readonly database: 'sqlite' | 'postgres';
};

export type OverviewDto = {
  readonly at: string;
  /** When accounts and connections were counted: up to five minutes earlier if counting them takes long. */
  readonly counted_at: string;
  readonly accounts: AccountCountsDto;
  readonly connections: readonly ConnectionCountDto[];
  readonly connection_states: ConnectionStatesDto;
  /** Sources of retired providers that are not disconnected. */
  readonly retired_sources: number;
  readonly source_priorities: SourcePrioritiesOverviewDto;
  /** Consumers of the change feed that are more than 15 minutes behind. */
  readonly consumers_lagging: number;
  readonly tokens: TokensOverviewDto;
  readonly inbox: InboxDto;
  readonly sync: SyncDto;
  /** Work waiting for a retry, by last failure. */
  readonly waiting: readonly WaitingDto[];
  readonly audits: AuditOverviewDto;
  readonly orders: OrderCountsDto;
  readonly alarms: readonly AlarmDto[];
  /** The replica of DATABASE_READ_URL as the responding process sees it; null without one. */
  readonly replica: ReplicaDto | null;
  readonly versions: VersionsDto;
};

export type ForecastResourceDto = {
  readonly resource: string;
  readonly samples: number;
  readonly summaries: number;
  readonly bytes: number | null;
  /** What SAMPLES_KEEP_DAYS leaves of them; null for resources whose records always stay. */
  readonly bytes_thinned: number | null;
};

export type ForecastDiskDto = {
  readonly free_bytes: number | null;
  /** Days until the disk is full, if it continues to fill as in the last hours (at least 3, at most 6). */
  readonly days_left: number | null;
  /**
   * Why the figure is null. no_accounts: no person is active. not_counted_yet: PostgreSQL has not
   * counted the samples. no_history: this process has watched the disk for less than three hours.
   * not_filling: the disk does not lose space. not_visible: the database is on a disk that this process
   * does not see.
   */
  readonly reason: 'no_accounts' | 'not_counted_yet' | 'no_history' | 'not_filling' | 'not_visible' | null;
};

export type ForecastDto = {
  readonly at: string;
  /** Active accounts that were measured, spread over all. */
  readonly accounts: number;
  /** Complete days before now that were measured. */
  readonly days: number;
  /** Of one stored sample with its key. */
  readonly bytes_a_sample: number | null;
  /**
   * Samples and objects of summaries of one person on one day, without messages and changes, which
   * expire.
   */
  readonly bytes_a_person_and_day: number | null;
  /**
   * Why the figure is null. no_accounts: no person is active. not_counted_yet: PostgreSQL has not
   * counted the samples. no_history: this process has watched the disk for less than three hours.
   * not_filling: the disk does not lose space. not_visible: the database is on a disk that this process
   * does not see.
   */
  readonly reason: 'no_accounts' | 'not_counted_yet' | 'no_history' | 'not_filling' | 'not_visible' | null;
  /** Of one person on one day, on average; largest first. */
  readonly resources: readonly ForecastResourceDto[];
  /** The disk of the database. */
  readonly disk: ForecastDiskDto;
};

export type MessageHourDto = {
  /** Start of the hour. */
  readonly start: string;
  /** Messages received in this hour that are done, ignored or dead. */
  readonly processed: number;
  /** Messages received in this hour that still wait; null while more than 10,000 messages wait. */
  readonly waiting: number | null;
};

export type CallsOfPriorityDto = {
  readonly priority: 'sign_in' | 'interactive' | 'background' | 'bulk';
  /** Calls waiting for their turn. */
  readonly waiting: number;
  /** Calls started in the last minute. */
  readonly began: number;
};

export type UpstreamActivityDto = {
  /** Role of this process. */
  readonly role: 'all' | 'api' | 'worker';
  /** `instance` of its log lines. */
  readonly instance: string;
  /** Known processes that share the call budget. */
  readonly processes: number;
  /** While open, no call is made. */
  readonly circuit: 'closed' | 'half_open' | 'open';
  /** Share of this process in the call budget now, with what it borrows, without what it lends. */
  readonly calls_per_second: number;
  readonly max_concurrency: number;
  /** Most urgent first. */
  readonly priorities: readonly CallsOfPriorityDto[];
};

export type ActivityDto = {
  readonly at: string;
  /** The last 24 hours, oldest first; the last hour is incomplete. */
  readonly messages: readonly MessageHourDto[];
  readonly upstream: UpstreamActivityDto;
};

export type NoteDto = {
  /**
   * zone_assumed: the day is that of the account's time zone. zone_unknown: it is the UTC day.
   * points_repeated: a response had several values for one point; the last one is stored.
   * points_rejected: other data that cannot be stored. mixed_units: numbers are converted to one unit.
   * incomparable_units: no conversion is known, so there are no numbers. incomparable_kinds: different
   * things were measured, so there are no numbers. superseded: records of a former upstream user that
   * those of the present one replace. hidden_by_better: better records cover the time or stand for the
   * day. forecasts: they do not count. no_readings: samples with values that nobody can have, such as 0.
   * asked_again: regular pulls still include the day.
   */
  readonly code:
    | 'zone_assumed'
    | 'zone_unknown'
    | 'points_repeated'
    | 'points_rejected'
    | 'mixed_units'
    | 'incomparable_units'
    | 'incomparable_kinds'
    | 'superseded'
    | 'hidden_by_better'
    | 'forecasts'
    | 'no_readings'
    | 'thinned'
    | 'asked_again';
  /** Null if it is not about one source. */
  readonly provider: string | null;
  /** Number of records that it is about. */
  readonly records: number | null;
  /** Only for asked_again. */
  readonly until: string | null;
  readonly text: string;
};

export type EvidenceRefDto = {
  readonly type: 'account' | 'connection' | 'historical_pull' | 'task' | 'message';
  /** A connection is identified by its source, a historical pull by source and resource. */
  readonly id: string;
};

export type EvidenceDto = {
  /** Null if it holds at all times. */
  readonly at: string | null;
  readonly kind:
    | 'account'
    | 'resource'
    | 'ingestion_bounds'
    | 'connection'
    | 'availability'
    | 'upstream_pull'
    | 'coverage'
    | 'proof'
    | 'schedule'
    | 'task'
    | 'message'
    | 'records'
    | 'delivery';
  /** Null if it is not about one source. */
  readonly provider: string | null;
  readonly finding: string;
  readonly ref: EvidenceRefDto | null;
  /** True if the conclusion is based on it. */
  readonly decisive: boolean;
};

export type ExplanationDto = {
  readonly account_id: string;
  readonly resource: string;
  readonly day: string;
  /**
   * Clock that defines the day. samples: offset of a stored record of the person, at most two days away.
   * fallback_time_zone: time zone of the account. utc: neither is known. calendar_date: each record
   * states its date.
   */
  readonly day_in: 'samples' | 'fallback_time_zone' | 'utc' | 'calendar_date';
  /** Offset or time zone of the day; null if unknown, so that the day is the UTC day. */
  readonly day_zone: string | null;
  /** State as in coverage, over all examined sources. */
  readonly state: 'received' | 'confirmed_empty' | 'pending' | 'failed_upstream' | 'unknown';
  /** The conclusion as a code. */
  readonly reason:
    | 'not_begun'
    | 'account_erasing'
    | 'received_whole'
    | 'received_so_far'
    | 'received_in_part'
    | 'gone_upstream'
    | 'forecast_only'
    | 'not_over'
    | 'confirmed_empty'
    | 'account_pending'
    | 'outside_ingestion'
    | 'not_synced'
    | 'message_dead'
    | 'message_waiting'
    | 'not_heard'
    | 'never_connected'
    | 'provider_retired'
    | 'upstream_pull_failed'
    | 'connection_error'
    | 'pull_open'
    | 'upstream_pull_open'
    | 'points_rejected'
    | 'pull_due'
    | 'resource_unavailable'
    | 'pull_failed'
    | 'disconnected'
    | 'never_pulled'
    | 'late_data_possible'
    | 'connection_gap'
    | 'silence'
    | 'not_heard_since'
    | 'not_proven'
    | 'never_asked';
  readonly conclusion: string;
  /** What else is to be known of the day. */
  readonly notes: readonly NoteDto[];
  /** In order, from the account to the records. */
  readonly evidence: readonly EvidenceDto[];
};

export type ExplanationsDto = {
  readonly data: readonly ExplanationDto[];
};

export type CoverageRunDto = {
  /** First day, inclusive. */
  readonly first_day: string;
  /** Last day, inclusive. */
  readonly last_day: string;
  readonly days: number;
  /**
   * received: records are stored. confirmed_empty: no records are stored, and a complete pull after the
   * day proves that none are missing. pending: a pull of the day, by Pulsekeep or upstream, is open or
   * due. failed_upstream: upstream could not read the source. unknown: not enough evidence.
   */
  readonly state: 'received' | 'confirmed_empty' | 'pending' | 'failed_upstream' | 'unknown';
  /**
   * True if nothing is missing: the day is over; Pulsekeep pulled it completely, at least
   * SYNC_LOOKBACK_HOURS after it, while the source was connected and had sent later data; the source
   * stayed connected from the day until that pull; a day before the connection is in a history whose
   * days with data upstream counted; and no pull of it is open or failed. Stored records alone never
   * make a day whole.
   */
  readonly whole: boolean;
  /** Why the days are complete or incomplete. */
  readonly reason:
    | 'not_begun'
    | 'outside_ingestion'
    | 'upstream_pull_failed'
    | 'connection_error'
    | 'pull_open'
    | 'upstream_pull_open'
    | 'not_over'
    | 'points_rejected'
    | 'whole'
    | 'pull_due'
    | 'resource_unavailable'
    | 'pull_failed'
    | 'disconnected'
    | 'not_synced'
    | 'never_pulled'
    | 'late_data_possible'
    | 'connection_gap'
    | 'not_heard_since'
    | 'not_proven';
  /**
   * zone_assumed: the day is that of the account's time zone. zone_unknown: it is the UTC day.
   * points_repeated: a response had several values for one point; the last one is stored.
   * points_rejected: other data that cannot be stored. mixed_units: numbers are converted to one unit.
   * incomparable_units: no conversion is known, so there are no numbers. incomparable_kinds: different
   * things were measured, so there are no numbers. superseded: records of a former upstream user that
   * those of the present one replace. hidden_by_better: better records cover the time or stand for the
   * day. forecasts: they do not count. no_readings: samples with values that nobody can have, such as 0.
   * asked_again: regular pulls still include the day.
   */
  readonly notes: readonly (
    | 'zone_assumed'
    | 'zone_unknown'
    | 'points_repeated'
    | 'points_rejected'
    | 'mixed_units'
    | 'incomparable_units'
    | 'incomparable_kinds'
    | 'superseded'
    | 'hidden_by_better'
    | 'forecasts'
    | 'no_readings'
    | 'thinned'
    | 'asked_again'
  )[];
  /** Until when regular pulls include the last of these days; null: none does. */
  readonly asked_again_until: string | null;
  /** When an audit proved that the days are what upstream has: the earliest, null unless each was proven. */
  readonly proven_equal_at: string | null;
  /** Number of stored records. */
  readonly records: number;
  /** True if there are more records: counting stops at 1,000 per series and day. */
  readonly more: boolean;
  /** Number of records hidden because upstream no longer returns them. */
  readonly gone: number;
};

export type CoverageStreamDto = {
  readonly provider: string;
  readonly resource: string;
  /** True if every requested day is complete. */
  readonly complete: boolean;
  /**
   * End of the unbroken run of complete days from the start of the range; null if the first day is
   * incomplete.
   */
  readonly whole_through: string | null;
  /**
   * Clock that defines the day. samples: offset of a stored record of the person, at most two days away.
   * fallback_time_zone: time zone of the account. utc: neither is known. calendar_date: each record
   * states its date.
   */
  readonly days_in: readonly ('samples' | 'fallback_time_zone' | 'utc' | 'calendar_date')[];
  readonly runs: readonly CoverageRunDto[];
};

export type SearchHitDto = {
  /** What has this id. */
  readonly kind: string;
  readonly id: string;
  /** The account it belongs to; null if it belongs to none. */
  readonly account_id: string | null;
};

export type SearchResultDto = {
  /** At most 5 of each kind. */
  readonly data: readonly SearchHitDto[];
  /** The kinds that were searched: accounts by all their ids, the others by the beginning of theirs. */
  readonly searched: readonly string[];
};

export type TimelineRefDto = {
  readonly type: string;
  readonly id: string;
};

export type TimelineEntryDto = {
  readonly at: string;
  readonly kind:
    | 'operator_act'
    | 'critical_result'
    | 'result'
    | 'unmatched_result'
    | 'parsing_job'
    | 'appointment'
    | 'order_event'
    | 'order'
    | 'records_gone'
    | 'pull_failed'
    | 'pull_done'
    | 'pull_requested'
    | 'history_pull'
    | 'connection'
    | 'link_outcome'
    | 'message_given_up'
    | 'message'
    | 'link_token'
    | 'sign_in_token'
    | 'account_linked'
    | 'user_replaced'
    | 'account_created';
  readonly title: string;
  /** Object of the entry. */
  readonly ref: TimelineRefDto;
  /** Fields depend on `kind`. Free text from upstream is shown only if it is one word. */
  readonly details: {
    readonly [field: string]: string | number | boolean | null;
  };
};

export type AlarmsDto = {
  /** Most urgent first. */
  readonly data: readonly AlarmDto[];
  /** Always null: all alarms fit one page. */
  readonly next_cursor: string | null;
};

export type AlarmAcknowledgementRequest = {
  /** Why the alarm may stay; shown with it. Must not name a person. */
  readonly reason: string;
};

export type SampleSourceDto = {
  readonly provider: string;
  readonly type: string;
  readonly device_id: string | null;
  readonly workout_id: string | null;
  readonly sport: string | null;
};

export type GoneDto = {
  /**
   * gone: missing from two complete pulls. superseded: a complete pull returned an overlapping record
   * instead.
   */
  readonly reason: 'gone' | 'superseded';
  /** When it was last seen, and when the first pull without it began. */
  readonly gone_between: readonly string[];
  /** Pulls without it: the first and the confirming one. */
  readonly task_ids: readonly number[];
};

export type ProvenanceDto = {
  readonly kind: 'message' | 'sync';
  /** Only for kind message; null once the message is deleted. */
  readonly message_id?: string | null;
  /** Only for kind sync. */
  readonly task_id?: number;
  /** Page of the pull. */
  readonly page?: number;
  /** When Pulsekeep received it. */
  readonly observed_at: string;
  /** True if received from a previous upstream user of the account. */
  readonly earlier_user: boolean;
};

export type RecordSourceDto = {
  readonly provider: string;
  readonly type: string;
};

export type MyAccountDto = {
  readonly account_id: string;
  /** Upstream user id. */
  readonly user_id: string | null;
  readonly created_at: string;
  /** Zone of days without an offset of their own; null if neither the app nor upstream knows it. */
  readonly time_zone: string | null;
};

export type MySourceDto = {
  readonly provider: string;
  /** connected, error, paused or disconnected; upstream may add values. */
  readonly status: string;
  /** Cause of the error state. */
  readonly error_type: string | null;
  readonly error_at: string | null;
  readonly connected_at: string | null;
  /** Time of the newest stored record of this source. */
  readonly last_data_at: string | null;
  /**
   * When it was connected with another account at the provider than before, so that the records since
   * then may be those of another person; null if it never was.
   */
  readonly other_account_since: string | null;
};

export type MyResourceDto = {
  readonly resource: string;
  readonly provider: string;
  /** Time of the newest stored record. */
  readonly newest_at: string | null;
  /** When a record was last added, changed or hidden, whatever its time; null if never. */
  readonly changed_at: string | null;
  /**
   * complete: upstream counted days with data, and its full history is stored. pending: not yet
   * complete. failed: upstream gave up. not_pulled: upstream does not pull this history. not_synced:
   * excluded from SYNC_RESOURCES, so only new data that upstream sends is stored. unknown: upstream has
   * not reported it, or counted no day with data, or the source pushes its history (Garmin, phones).
   */
  readonly history: 'complete' | 'pending' | 'failed' | 'not_pulled' | 'not_synced' | 'unknown';
};

export type MeDto = {
  readonly account: MyAccountDto;
  readonly sources: readonly MySourceDto[];
  readonly resources: readonly MyResourceDto[];
  /**
   * Resources that the service does not pull (SYNC_RESOURCES): only data that upstream sends is stored,
   * and an empty list of their records returns 409 not_synced.
   */
  readonly not_synced: readonly string[];
};

export type MySettings = {
  /**
   * IANA time zone of the person from now on; days that are over keep the zone in which they were lived.
   * Null: follow upstream's.
   */
  readonly time_zone: string | null;
};

export type LastNightDto = {
  /** Newest night that ended in the last 36 hours; a short sleep or nap only if there is no night. */
  readonly record: SleepRecord | null;
  /** As in GET /v1/me/latest. */
  readonly state: 'stored' | 'none' | 'not_synced';
  /**
   * night_of_today: its calendar date is `day`. earlier_night: it ended before, and no newer one is
   * stored. short_sleep_only: no night is stored, only a short sleep or a nap. Otherwise why there is
   * none, as in coverage.
   */
  readonly reason:
    | 'night_of_today'
    | 'earlier_night'
    | 'short_sleep_only'
    | 'not_begun'
    | 'outside_ingestion'
    | 'upstream_pull_failed'
    | 'connection_error'
    | 'pull_open'
    | 'upstream_pull_open'
    | 'not_over'
    | 'points_rejected'
    | 'whole'
    | 'pull_due'
    | 'resource_unavailable'
    | 'pull_failed'
    | 'disconnected'
    | 'not_synced'
    | 'never_pulled'
    | 'late_data_possible'
    | 'connection_gap'
    | 'not_heard_since'
    | 'not_proven';
  /** Other nights of its calendar date: parts of a split night, or a second night of a date lived twice. */
  readonly other_nights: number;
  /** Resting heart rate of the record, in beats per minute; null if unknown. */
  readonly resting_heart_rate: number | null;
  /** Mean heart rate variability of the record (RMSSD), in milliseconds; null if unknown. */
  readonly hrv: number | null;
  /** Mean breaths per minute of the record; null if unknown. */
  readonly respiratory_rate: number | null;
};

export type StatisticsSourceDto = {
  readonly provider: string;
  readonly type: string;
};

export type NumbersDto = {
  /** Only for totals. */
  readonly sum?: number;
  /** Only for measures, like `max` and `mean`. */
  readonly min?: number;
  readonly max?: number;
  /** Mean of the samples, not weighted by duration. */
  readonly mean?: number;
  readonly first?: number;
  readonly last?: number;
};

export type SourceShareDto = {
  readonly provider: string;
  readonly type: string;
  /** Time for which its numbers count; 0 for samples without duration. */
  readonly minutes: number;
  /** Samples that count, at least in part. */
  readonly samples: number;
  /** In the unit of the total; missing if that has no number. */
  readonly sum?: number;
};

export type LeftOutDto = {
  readonly provider: string;
  readonly type: string;
  /** Samples that do not count at all. */
  readonly samples: number;
  /**
   * Amount not in the total, including that of samples that count in part; missing if the total has no
   * number.
   */
  readonly sum?: number;
};

export type DayDto = {
  /** Only for totals. */
  readonly sum?: number;
  /** Only for measures, like `max` and `mean`. */
  readonly min?: number;
  readonly max?: number;
  /** Mean of the samples, not weighted by duration. */
  readonly mean?: number;
  readonly first?: number;
  readonly last?: number;
  /** Local day of the person; of a week or month, the first in the range. */
  readonly day: string;
  /**
   * False only if it is proven that nothing is missing, from this source and any that would take its
   * place.
   */
  readonly partial: boolean;
  /** Why it is partial; `whole` if it is not. */
  readonly reason:
    | 'not_begun'
    | 'outside_ingestion'
    | 'upstream_pull_failed'
    | 'connection_error'
    | 'pull_open'
    | 'upstream_pull_open'
    | 'not_over'
    | 'points_rejected'
    | 'whole'
    | 'pull_due'
    | 'resource_unavailable'
    | 'pull_failed'
    | 'disconnected'
    | 'not_synced'
    | 'never_pulled'
    | 'late_data_possible'
    | 'connection_gap'
    | 'not_heard_since'
    | 'not_proven';
  /** Source of the numbers; of a total, the one that contributed most. */
  readonly source: StatisticsSourceDto | null;
  /** Other sources with samples on this day. They count only in totals, see `sources`. */
  readonly other_sources: readonly StatisticsSourceDto[];
  /** Number of samples that count; without any, there are no numbers. An interval counts in each part. */
  readonly count: number;
  /**
   * Unit of the numbers: the one of all samples of the day, or, if they have several, the one that
   * upstream documents for the resource, to which they are converted. Null if unknown.
   */
  readonly unit: string | null;
  /**
   * Why there are samples but no numbers. units: no conversion between their units is known. kinds: they
   * are different things, such as temperatures of the mouth and the wrist, or alerts of different types.
   */
  readonly incomparable: 'units' | 'kinds' | null;
  /** Time of the first sample. */
  readonly first_at: string | null;
  readonly last_at: string | null;
  /**
   * True if samples are older than SAMPLES_KEEP_DAYS, so that only their hourly sums are kept. The
   * numbers are the same; the samples are not among the records, and later changes of them by upstream
   * are not in the numbers.
   */
  readonly thinned: boolean;
  /** For blood pressure, instead of the numbers above. */
  readonly systolic?: NumbersDto;
  readonly diastolic?: NumbersDto;
  /** Last day of the row; with per=day, the same. */
  readonly last_day: string;
  /** Only for totals: sources that took part, best first. Their sums add up to the total. */
  readonly sources?: readonly SourceShareDto[];
  /** Only for totals: what was not added because a better source or device counted at that time. */
  readonly left_out?: readonly LeftOutDto[];
};

export type RestingHeartRateDto = {
  /** Beats per minute. */
  readonly value: number;
  /** Resource of the record that contains it. */
  readonly resource: 'sleep' | 'activity';
  readonly calendar_date: string;
  readonly source: StatisticsSourceDto;
};

export type LatestDto = {
  readonly resource:
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'blood_pressure'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'cholesterol'
    | 'daylight_exposure'
    | 'distance'
    | 'electrocardiogram_voltage'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'hypnogram'
    | 'ige'
    | 'igg'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'note'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'sleep_breathing_disturbance'
    | 'stand_duration'
    | 'stand_hour'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke'
    | 'activity'
    | 'body'
    | 'electrocardiogram'
    | 'meal'
    | 'menstrual_cycle'
    | 'profile'
    | 'sleep'
    | 'sleep_cycle'
    | 'workouts';
  /**
   * none: no record is stored. not_synced: no record is stored, and the service does not pull this
   * resource.
   */
  readonly state: 'stored' | 'none' | 'not_synced';
  /**
   * Seconds since the end of the record; null without a record, and for a floating_time that nothing
   * places.
   */
  readonly age_seconds: number | null;
  /** Newest record of all sources; of several with the same time, that of the best source. */
  readonly record?: HealthRecord;
};

export type HistoryProgressDto = {
  readonly complete: number;
  readonly pending: number;
  readonly failed: number;
  readonly not_pulled: number;
  readonly not_synced: number;
  readonly unknown: number;
};

export type TodayDto = {
  /** Current local day of the person. */
  readonly day: string;
  /** Main sleep of the night that ended on this day, from one source; null if none is stored. */
  readonly sleep: SleepRecord | null;
  readonly last_night: LastNightDto;
  /** Steps of this day; null if they are not synced. */
  readonly steps: DayDto | null;
  /** That of `last_night`, else from the activity of this day or the day before; null if neither has one. */
  readonly resting_heart_rate: RestingHeartRateDto | null;
  /** Newest sample of every resource that has one. */
  readonly latest: readonly LatestDto[];
  readonly sources: readonly MySourceDto[];
  /**
   * Number of resources of sources by history state: complete, pending, failed, not_pulled, not_synced,
   * unknown; see GET /v1/me.
   */
  readonly history: HistoryProgressDto;
  /** As in GET /v1/me. */
  readonly not_synced: readonly string[];
};

export type DailyDto = {
  readonly resource:
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'blood_pressure'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'daylight_exposure'
    | 'distance'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'stand_duration'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke';
  /** total: `sum`. measure: `mean`, `min` and `max`. */
  readonly statistics: 'total' | 'measure';
  /**
   * stored: there are samples. none: there are none, and `partial` says whether more may come.
   * not_synced: there are none, and the service does not pull this resource (SYNC_RESOURCES).
   */
  readonly state: 'stored' | 'none' | 'not_synced';
  /**
   * Clock that defines the day. samples: offset of a stored record of the person, at most two days away.
   * fallback_time_zone: time zone of the account. utc: neither is known. calendar_date: each record
   * states its date.
   */
  readonly days_in: readonly ('samples' | 'fallback_time_zone' | 'utc' | 'calendar_date')[];
  /** Every day of the range; empty if not synced. */
  readonly days: readonly DayDto[];
};

export type HourDto = {
  /** Only for totals. */
  readonly sum?: number;
  /** Only for measures, like `max` and `mean`. */
  readonly min?: number;
  readonly max?: number;
  /** Mean of the samples, not weighted by duration. */
  readonly mean?: number;
  readonly first?: number;
  readonly last?: number;
  /** Local day of the person; of a week or month, the first in the range. */
  readonly day: string;
  /**
   * False only if it is proven that nothing is missing, from this source and any that would take its
   * place.
   */
  readonly partial: boolean;
  /** Why it is partial; `whole` if it is not. */
  readonly reason:
    | 'not_begun'
    | 'outside_ingestion'
    | 'upstream_pull_failed'
    | 'connection_error'
    | 'pull_open'
    | 'upstream_pull_open'
    | 'not_over'
    | 'points_rejected'
    | 'whole'
    | 'pull_due'
    | 'resource_unavailable'
    | 'pull_failed'
    | 'disconnected'
    | 'not_synced'
    | 'never_pulled'
    | 'late_data_possible'
    | 'connection_gap'
    | 'not_heard_since'
    | 'not_proven';
  /** Source of the numbers; of a total, the one that contributed most. */
  readonly source: StatisticsSourceDto | null;
  /** Other sources with samples on this day. They count only in totals, see `sources`. */
  readonly other_sources: readonly StatisticsSourceDto[];
  /** Number of samples that count; without any, there are no numbers. An interval counts in each part. */
  readonly count: number;
  /**
   * Unit of the numbers: the one of all samples of the day, or, if they have several, the one that
   * upstream documents for the resource, to which they are converted. Null if unknown.
   */
  readonly unit: string | null;
  /**
   * Why there are samples but no numbers. units: no conversion between their units is known. kinds: they
   * are different things, such as temperatures of the mouth and the wrist, or alerts of different types.
   */
  readonly incomparable: 'units' | 'kinds' | null;
  /** Time of the first sample. */
  readonly first_at: string | null;
  readonly last_at: string | null;
  /**
   * True if samples are older than SAMPLES_KEEP_DAYS, so that only their hourly sums are kept. The
   * numbers are the same; the samples are not among the records, and later changes of them by upstream
   * are not in the numbers.
   */
  readonly thinned: boolean;
  /** For blood pressure, instead of the numbers above. */
  readonly systolic?: NumbersDto;
  readonly diastolic?: NumbersDto;
  /**
   * Start of the local hour by the offset of its samples. If clocks change within the hour, the offset
   * before the change applies: two hours with different `local_time` may overlap, but no sample is in
   * both.
   */
  readonly start: string;
  /** Wall-clock time at `start`. */
  readonly local_time: string;
};

export type HourlyDto = {
  readonly resource:
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'blood_pressure'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'daylight_exposure'
    | 'distance'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'stand_duration'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke';
  /** total: `sum`. measure: `mean`, `min` and `max`. */
  readonly statistics: 'total' | 'measure';
  /**
   * stored: there are samples. none: there are none, and `partial` says whether more may come.
   * not_synced: there are none, and the service does not pull this resource (SYNC_RESOURCES).
   */
  readonly state: 'stored' | 'none' | 'not_synced';
  /**
   * Clock that defines the day. samples: offset of a stored record of the person, at most two days away.
   * fallback_time_zone: time zone of the account. utc: neither is known. calendar_date: each record
   * states its date.
   */
  readonly days_in: readonly ('samples' | 'fallback_time_zone' | 'utc' | 'calendar_date')[];
  /** Hours with samples. */
  readonly hours: readonly HourDto[];
};

export type OwnExplanationDto = {
  readonly resource: string;
  readonly day: string;
  /**
   * Clock that defines the day. samples: offset of a stored record of the person, at most two days away.
   * fallback_time_zone: time zone of the account. utc: neither is known. calendar_date: each record
   * states its date.
   */
  readonly day_in: 'samples' | 'fallback_time_zone' | 'utc' | 'calendar_date';
  /** Offset or time zone of the day; null if unknown, so that the day is the UTC day. */
  readonly day_zone: string | null;
  /** State as in coverage, over all examined sources. */
  readonly state: 'received' | 'confirmed_empty' | 'pending' | 'failed_upstream' | 'unknown';
  /** The conclusion as a code. */
  readonly reason:
    | 'not_begun'
    | 'account_erasing'
    | 'received_whole'
    | 'received_so_far'
    | 'received_in_part'
    | 'gone_upstream'
    | 'forecast_only'
    | 'not_over'
    | 'confirmed_empty'
    | 'account_pending'
    | 'outside_ingestion'
    | 'not_synced'
    | 'message_dead'
    | 'message_waiting'
    | 'not_heard'
    | 'never_connected'
    | 'provider_retired'
    | 'upstream_pull_failed'
    | 'connection_error'
    | 'pull_open'
    | 'upstream_pull_open'
    | 'points_rejected'
    | 'pull_due'
    | 'resource_unavailable'
    | 'pull_failed'
    | 'disconnected'
    | 'never_pulled'
    | 'late_data_possible'
    | 'connection_gap'
    | 'silence'
    | 'not_heard_since'
    | 'not_proven'
    | 'never_asked';
  /** What else is to be known of the day. */
  readonly notes: readonly NoteDto[];
  readonly conclusion: string;
};

export type CheckDto = {
  readonly check: string;
  /** skipped: not checked; see the finding. */
  readonly state: 'ok' | 'bad' | 'skipped';
  /** Result, with the remedy if it is bad. */
  readonly finding: string;
};

export type DiagnosisDto = {
  readonly at: string;
  /** False if a check is bad. */
  readonly ok: boolean;
  readonly checks: readonly CheckDto[];
};

export type SessionDto = {
  readonly session_id: string;
  /** key: signed in with an admin key; person: by the identity provider. */
  readonly kind: 'key' | 'person';
  /** Name of the key or of the person, as in the access log. */
  readonly name: string;
  readonly role: 'monitor' | 'viewer' | 'reader' | 'operator';
  readonly created_at: string;
  /** Time of the last request, to the minute. */
  readonly used_at: string;
  /** When it ends if unused. */
  readonly expires_at: string;
  /** True for the session of this request. */
  readonly current: boolean;
};

export type ServiceDto = {
  readonly version: string;
  readonly region: 'us' | 'eu';
  readonly environment: 'sandbox' | 'production';
  /** Whether recorded reads and changes require the header x-access-reason. */
  readonly reasons: 'optional' | 'required';
};

export type CurrentSessionDto = {
  /** Null for a request with a key. */
  readonly session_id: string | null;
  readonly kind: 'key' | 'person';
  readonly name: string;
  readonly role: 'monitor' | 'viewer' | 'reader' | 'operator';
  readonly expires_at: string | null;
  readonly service: ServiceDto;
};

export type ProgramVersionsDto = {
  readonly pulsekeep: string;
  readonly node: string;
  readonly database: 'sqlite' | 'postgres';
  /** Last migration that ran. */
  readonly schema: string | null;
};

export type UpstreamSettingsDto = {
  readonly base_url: string;
  readonly region: 'us' | 'eu';
  readonly environment: 'sandbox' | 'production';
};

export type WebhookSecretUseDto = {
  /** First digits of the SHA-256 of its bytes. */
  readonly fingerprint: string;
  /** When this process first noticed it. */
  readonly known_since: string;
  /**
   * Last delivery to this process that it signed; null if none since then. Other processes are not
   * included.
   */
  readonly last_used_at: string | null;
};

export type KeyDto = {
  readonly name: string;
  readonly role: 'monitor' | 'viewer' | 'reader' | 'operator' | 'backend' | 'feed';
  /** Of the role feed: whether it reads values; null for other roles. */
  readonly feed_values: boolean | null;
  /** When the access log last recorded it; reads that are not recorded do not count. */
  readonly last_recorded_at: string | null;
};

export type VariableDto = {
  readonly name: string;
  /** Null if it is not set. */
  readonly value: string | null;
};

export type SettingsDto = {
  readonly versions: ProgramVersionsDto;
  readonly upstream: UpstreamSettingsDto;
  /** Number of accepted webhook secrets. */
  readonly webhook_secrets: number;
  /** Current secret first. */
  readonly webhook_secret_uses: readonly WebhookSecretUseDto[];
  readonly keys: readonly KeyDto[];
  /** Variables whose values are not secret. */
  readonly variables: readonly VariableDto[];
};

export type AuditRefDto = {
  readonly report_id: string;
  /** What this report calls the account. */
  readonly account_ref: string;
};

export type JsonWebKeyDto = {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly alg: string;
  readonly use: string;
};

export type KeySetDto = {
  readonly keys: readonly JsonWebKeyDto[];
};

/** A sample. */
export type NumberSample = {
  readonly resource:
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'cholesterol'
    | 'daylight_exposure'
    | 'distance'
    | 'electrocardiogram_voltage'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'hypnogram'
    | 'ige'
    | 'igg'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'sleep_breathing_disturbance'
    | 'stand_duration'
    | 'stand_hour'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Stable across edits. Samples of a series at the same time are distinguished by their position. */
  readonly id: string;
  readonly value?: number;
  /** Only with `every`, like `mean`, `max` and `count`. */
  readonly min?: number;
  readonly mean?: number;
  readonly max?: number;
  /** Number of samples in the span. */
  readonly count?: number;
  /**
   * As received. Documented: afib_burden: %, basal_body_temperature: °C, blood_oxygen: %, body_fat: %,
   * body_mass_index: index, body_temperature: °C, body_temperature_delta: °C, body_weight: kg, caffeine:
   * g, calories_active: kcal, calories_basal: kcal, carbohydrates: g, cholesterol: mmol/L,
   * daylight_exposure: min, distance: m, electrocardiogram_voltage: mV, fall: count, floors_climbed:
   * count, forced_expiratory_volume_1: L, forced_vital_capacity: L, glucose: mmol/L, handwashing: count,
   * heart_rate_alert: count, heart_rate_recovery_one_minute: count, heartrate: bpm, hrv: rmssd,
   * hypnogram: stage, ige: FSU, igg: FSU, inhaler_usage: count, insulin_injection: unit, lean_body_mass:
   * kg, mindfulness_minutes: min, peak_expiratory_flow_rate: L/min, respiratory_rate: bpm,
   * sleep_apnea_alert: count, sleep_breathing_disturbance: count, stand_duration: min, stand_hour:
   * count, steps: count, stress_level: %, uv_exposure: index, vo2_max: mL/kg/min, waist_circumference:
   * cm, water: ml, wheelchair_push: count, workout_distance: m, workout_duration: min,
   * workout_swimming_stroke: count.
   */
  readonly unit: string | null;
  /** Distinguishes series that share a resource. */
  readonly type: string | null;
  readonly source: SampleSourceDto;
  /** Other fields, as received from upstream. */
  readonly attributes: {
    readonly [field: string]: unknown;
  };
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
  readonly calendar_date?: undefined;
  readonly updated_at?: undefined;
  readonly data?: undefined;
};

/** A sample. */
export type BloodPressureSample = {
  readonly resource: 'blood_pressure';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Stable across edits. Samples of a series at the same time are distinguished by their position. */
  readonly id: string;
  readonly systolic?: number;
  readonly diastolic?: number;
  /** Only with `every`, like `mean`, `max` and `count`. */
  readonly min?: number;
  readonly mean?: number;
  readonly max?: number;
  /** Number of samples in the span. */
  readonly count?: number;
  /** As received. Documented: blood_pressure: mmHg. */
  readonly unit: string | null;
  /** Distinguishes series that share a resource. */
  readonly type: string | null;
  readonly source: SampleSourceDto;
  /** Other fields, as received from upstream. */
  readonly attributes: {
    readonly [field: string]: unknown;
  };
  readonly value?: undefined;
  readonly text?: undefined;
  readonly calendar_date?: undefined;
  readonly updated_at?: undefined;
  readonly data?: undefined;
};

/** A sample. */
export type NoteSample = {
  readonly resource: 'note';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Stable across edits. Samples of a series at the same time are distinguished by their position. */
  readonly id: string;
  readonly text?: string;
  /** Only with `every`, like `mean`, `max` and `count`. */
  readonly min?: number;
  readonly mean?: number;
  readonly max?: number;
  /** Number of samples in the span. */
  readonly count?: number;
  /** As received. Documented: note: text. */
  readonly unit: string | null;
  /** Distinguishes series that share a resource. */
  readonly type: string | null;
  readonly source: SampleSourceDto;
  /** Other fields, as received from upstream. */
  readonly attributes: {
    readonly [field: string]: unknown;
  };
  readonly value?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly calendar_date?: undefined;
  readonly updated_at?: undefined;
  readonly data?: undefined;
};

/** A record of activity. */
export type ActivityRecord = {
  readonly resource: 'activity';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: ActivityData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of body. */
export type BodyRecord = {
  readonly resource: 'body';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: BodyData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of electrocardiogram. */
export type ElectrocardiogramRecord = {
  readonly resource: 'electrocardiogram';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: ElectrocardiogramData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of meal. */
export type MealRecord = {
  readonly resource: 'meal';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: MealData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of menstrual_cycle. */
export type MenstrualCycleRecord = {
  readonly resource: 'menstrual_cycle';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: MenstrualCycleData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of profile. */
export type ProfileRecord = {
  readonly resource: 'profile';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: ProfileData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of sleep. */
export type SleepRecord = {
  readonly resource: 'sleep';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: SleepData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of sleep_cycle. */
export type SleepCycleRecord = {
  readonly resource: 'sleep_cycle';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: SleepCycleData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of workouts. */
export type WorkoutsRecord = {
  readonly resource: 'workouts';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: WorkoutsData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of workout_stream. */
export type WorkoutStreamRecord = {
  readonly resource: 'workout_stream';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: WorkoutStreamData;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A stored record, discriminated by `resource`. */
export type HealthRecord =
  | NumberSample
  | BloodPressureSample
  | NoteSample
  | ActivityRecord
  | BodyRecord
  | ElectrocardiogramRecord
  | MealRecord
  | MenstrualCycleRecord
  | ProfileRecord
  | SleepRecord
  | SleepCycleRecord
  | WorkoutsRecord
  | WorkoutStreamRecord;

/** A sample. */
export type TracedNumberSample = {
  readonly resource:
    | 'afib_burden'
    | 'basal_body_temperature'
    | 'blood_oxygen'
    | 'body_fat'
    | 'body_mass_index'
    | 'body_temperature'
    | 'body_temperature_delta'
    | 'body_weight'
    | 'caffeine'
    | 'calories_active'
    | 'calories_basal'
    | 'carbohydrates'
    | 'cholesterol'
    | 'daylight_exposure'
    | 'distance'
    | 'electrocardiogram_voltage'
    | 'fall'
    | 'floors_climbed'
    | 'forced_expiratory_volume_1'
    | 'forced_vital_capacity'
    | 'glucose'
    | 'handwashing'
    | 'heart_rate_alert'
    | 'heart_rate_recovery_one_minute'
    | 'heartrate'
    | 'hrv'
    | 'hypnogram'
    | 'ige'
    | 'igg'
    | 'inhaler_usage'
    | 'insulin_injection'
    | 'lean_body_mass'
    | 'mindfulness_minutes'
    | 'peak_expiratory_flow_rate'
    | 'respiratory_rate'
    | 'sleep_apnea_alert'
    | 'sleep_breathing_disturbance'
    | 'stand_duration'
    | 'stand_hour'
    | 'steps'
    | 'stress_level'
    | 'uv_exposure'
    | 'vo2_max'
    | 'waist_circumference'
    | 'water'
    | 'wheelchair_push'
    | 'workout_distance'
    | 'workout_duration'
    | 'workout_swimming_stroke';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Stable across edits. Samples of a series at the same time are distinguished by their position. */
  readonly id: string;
  readonly value?: number;
  /** Only with `every`, like `mean`, `max` and `count`. */
  readonly min?: number;
  readonly mean?: number;
  readonly max?: number;
  /** Number of samples in the span. */
  readonly count?: number;
  /**
   * As received. Documented: afib_burden: %, basal_body_temperature: °C, blood_oxygen: %, body_fat: %,
   * body_mass_index: index, body_temperature: °C, body_temperature_delta: °C, body_weight: kg, caffeine:
   * g, calories_active: kcal, calories_basal: kcal, carbohydrates: g, cholesterol: mmol/L,
   * daylight_exposure: min, distance: m, electrocardiogram_voltage: mV, fall: count, floors_climbed:
   * count, forced_expiratory_volume_1: L, forced_vital_capacity: L, glucose: mmol/L, handwashing: count,
   * heart_rate_alert: count, heart_rate_recovery_one_minute: count, heartrate: bpm, hrv: rmssd,
   * hypnogram: stage, ige: FSU, igg: FSU, inhaler_usage: count, insulin_injection: unit, lean_body_mass:
   * kg, mindfulness_minutes: min, peak_expiratory_flow_rate: L/min, respiratory_rate: bpm,
   * sleep_apnea_alert: count, sleep_breathing_disturbance: count, stand_duration: min, stand_hour:
   * count, steps: count, stress_level: %, uv_exposure: index, vo2_max: mL/kg/min, waist_circumference:
   * cm, water: ml, wheelchair_push: count, workout_distance: m, workout_duration: min,
   * workout_swimming_stroke: count.
   */
  readonly unit: string | null;
  /** Distinguishes series that share a resource. */
  readonly type: string | null;
  readonly source: SampleSourceDto;
  /** Other fields, as received from upstream. */
  readonly attributes: {
    readonly [field: string]: unknown;
  };
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
  readonly calendar_date?: undefined;
  readonly updated_at?: undefined;
  readonly data?: undefined;
};

/** A sample. */
export type TracedBloodPressureSample = {
  readonly resource: 'blood_pressure';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Stable across edits. Samples of a series at the same time are distinguished by their position. */
  readonly id: string;
  readonly systolic?: number;
  readonly diastolic?: number;
  /** Only with `every`, like `mean`, `max` and `count`. */
  readonly min?: number;
  readonly mean?: number;
  readonly max?: number;
  /** Number of samples in the span. */
  readonly count?: number;
  /** As received. Documented: blood_pressure: mmHg. */
  readonly unit: string | null;
  /** Distinguishes series that share a resource. */
  readonly type: string | null;
  readonly source: SampleSourceDto;
  /** Other fields, as received from upstream. */
  readonly attributes: {
    readonly [field: string]: unknown;
  };
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly text?: undefined;
  readonly calendar_date?: undefined;
  readonly updated_at?: undefined;
  readonly data?: undefined;
};

/** A sample. */
export type TracedNoteSample = {
  readonly resource: 'note';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Stable across edits. Samples of a series at the same time are distinguished by their position. */
  readonly id: string;
  readonly text?: string;
  /** Only with `every`, like `mean`, `max` and `count`. */
  readonly min?: number;
  readonly mean?: number;
  readonly max?: number;
  /** Number of samples in the span. */
  readonly count?: number;
  /** As received. Documented: note: text. */
  readonly unit: string | null;
  /** Distinguishes series that share a resource. */
  readonly type: string | null;
  readonly source: SampleSourceDto;
  /** Other fields, as received from upstream. */
  readonly attributes: {
    readonly [field: string]: unknown;
  };
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly calendar_date?: undefined;
  readonly updated_at?: undefined;
  readonly data?: undefined;
};

/** A record of activity. */
export type TracedActivityRecord = {
  readonly resource: 'activity';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: ActivityData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of body. */
export type TracedBodyRecord = {
  readonly resource: 'body';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: BodyData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of electrocardiogram. */
export type TracedElectrocardiogramRecord = {
  readonly resource: 'electrocardiogram';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: ElectrocardiogramData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of meal. */
export type TracedMealRecord = {
  readonly resource: 'meal';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: MealData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of menstrual_cycle. */
export type TracedMenstrualCycleRecord = {
  readonly resource: 'menstrual_cycle';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: MenstrualCycleData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of profile. */
export type TracedProfileRecord = {
  readonly resource: 'profile';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: ProfileData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of sleep. */
export type TracedSleepRecord = {
  readonly resource: 'sleep';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: SleepData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of sleep_cycle. */
export type TracedSleepCycleRecord = {
  readonly resource: 'sleep_cycle';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: SleepCycleData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of workouts. */
export type TracedWorkoutsRecord = {
  readonly resource: 'workouts';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: WorkoutsData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A record of workout_stream. */
export type TracedWorkoutStreamRecord = {
  readonly resource: 'workout_stream';
  /** Time of the record, or start of its interval. */
  readonly time: string;
  readonly end_time: string | null;
  /** Seconds east of UTC; null if unknown. */
  readonly timezone_offset: number | null;
  /** Local wall-clock time at `time`; null if unknown. */
  readonly local_time: string | null;
  /** True if the source writes local time as UTC: `time` is then wall-clock time, not an instant. */
  readonly floating_time: boolean;
  /** Id from upstream. */
  readonly id: string;
  readonly calendar_date: string | null;
  /** Upstream's update time; null if it sent none. */
  readonly updated_at: string | null;
  readonly source: RecordSourceDto;
  readonly data: WorkoutStreamData;
  /** Only with `include=gone`, for records that upstream no longer returns. */
  readonly gone?: GoneDto;
  readonly provenance: ProvenanceDto;
  readonly value?: undefined;
  readonly min?: undefined;
  readonly mean?: undefined;
  readonly max?: undefined;
  readonly count?: undefined;
  readonly unit?: undefined;
  readonly type?: undefined;
  readonly attributes?: undefined;
  readonly systolic?: undefined;
  readonly diastolic?: undefined;
  readonly text?: undefined;
};

/** A stored record, discriminated by `resource`. */
export type TracedHealthRecord =
  | TracedNumberSample
  | TracedBloodPressureSample
  | TracedNoteSample
  | TracedActivityRecord
  | TracedBodyRecord
  | TracedElectrocardiogramRecord
  | TracedMealRecord
  | TracedMenstrualCycleRecord
  | TracedProfileRecord
  | TracedSleepRecord
  | TracedSleepCycleRecord
  | TracedWorkoutsRecord
  | TracedWorkoutStreamRecord;

/**
 * The object of activity as received from upstream. Any field may be missing or null, and there may be
 * others.
 */
export type ActivityData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Deprecated: midnight UTC of the calendar date. */
  readonly date?: string | null;
  /** Day it belongs to, as YYYY-MM-DD. */
  readonly calendar_date?: string | null;
  /** Energy burned in the day, at rest and active. Unit: kcal. */
  readonly calories_total?: number | null;
  /** Energy burned by activity. Unit: kcal. */
  readonly calories_active?: number | null;
  /** Steps. Unit: count. */
  readonly steps?: number | null;
  /** Deprecated: distance. Unit: m, as sent by providers; not documented by upstream. */
  readonly daily_movement?: number | null;
  /** Distance covered. Unit: m. */
  readonly distance?: number | null;
  /** Time at low intensity. Unit: min. */
  readonly low?: number | null;
  /** Time at medium intensity. Unit: min. */
  readonly medium?: number | null;
  /** Time at high intensity. Unit: min. */
  readonly high?: number | null;
  /** Floors climbed. Unit: count. */
  readonly floors_climbed?: number | null;
  /** IANA time zone. */
  readonly time_zone?: string | null;
  /** East of UTC. Unit: s. */
  readonly timezone_offset?: number | null;
  readonly heart_rate?: {
    /** Mean of the day. Unit: bpm. */
    readonly avg_bpm?: number | null;
    /** Lowest of the day. Unit: bpm. */
    readonly min_bpm?: number | null;
    /** Highest of the day. Unit: bpm. */
    readonly max_bpm?: number | null;
    /** At rest. Unit: bpm. */
    readonly resting_bpm?: number | null;
    /** Mean while walking. Unit: bpm. */
    readonly avg_walking_bpm?: number | null;
    readonly [field: string]: unknown;
  } | null;
  /** True if the person uses a wheelchair. */
  readonly wheelchair_use?: boolean | null;
  /** Wheelchair pushes. Unit: count. */
  readonly wheelchair_push?: number | null;
  readonly [field: string]: unknown;
};

/**
 * The object of body as received from upstream. Any field may be missing or null, and there may be
 * others.
 */
export type BodyData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Deprecated: midnight UTC of the calendar date. */
  readonly date?: string | null;
  /** Day it belongs to, as YYYY-MM-DD. */
  readonly calendar_date?: string | null;
  /** Weight. Unit: kg. */
  readonly weight?: number | null;
  /** Body fat. Unit: %. */
  readonly fat?: number | null;
  /** Body water. Unit: %. */
  readonly water_percentage?: number | null;
  /** Muscle mass. Unit: %. */
  readonly muscle_mass_percentage?: number | null;
  /** Visceral fat index. Unit: index. */
  readonly visceral_fat_index?: number | null;
  /** Bone mass. Unit: %. */
  readonly bone_mass_percentage?: number | null;
  /** Body mass index. Unit: index. */
  readonly body_mass_index?: number | null;
  /** Lean body mass. Unit: kg. */
  readonly lean_body_mass_kilogram?: number | null;
  /** Waist circumference. Unit: cm. */
  readonly waist_circumference_centimeter?: number | null;
  readonly [field: string]: unknown;
};

/**
 * The object of electrocardiogram as received from upstream. Any field may be missing or null, and
 * there may be others.
 */
export type ElectrocardiogramData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Provider of the data. */
  readonly source_provider?: string | null;
  /** Type of the source. */
  readonly source_type?: string | null;
  /** App that wrote it. */
  readonly source_app_id?: string | null;
  /** Id of the device. */
  readonly source_device_id?: string | null;
  /** Model of the device. */
  readonly source_device_model?: string | null;
  /** Start of the recording. */
  readonly session_start?: string | null;
  /** End of the recording. */
  readonly session_end?: string | null;
  /** Recorded voltage samples. Unit: count. */
  readonly voltage_sample_count?: number | null;
  /** Mean heart rate. Unit: bpm, as sent by providers; not documented by upstream. */
  readonly heart_rate_mean?: number | null;
  /** Sampling frequency. Unit: Hz. */
  readonly sampling_frequency_hz?: number | null;
  /** sinus_rhythm, atrial_fibrillation or inconclusive; upstream may add values. */
  readonly classification?: string | null;
  /** high_heart_rate, low_heart_rate or poor_reading; upstream may add values. */
  readonly inconclusive_cause?: string | null;
  /** Version of the classifier. */
  readonly algorithm_version?: string | null;
  /** IANA time zone. */
  readonly time_zone?: string | null;
  readonly [field: string]: unknown;
};

/**
 * The object of meal as received from upstream. Any field may be missing or null, and there may be
 * others.
 */
export type MealData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Deprecated. */
  readonly priority_id?: number | null;
  /** Deprecated. */
  readonly source_id?: number | null;
  /** Deprecated. */
  readonly provider_id?: string | null;
  /** When it was eaten. */
  readonly timestamp?: string | null;
  /** Day it belongs to, as YYYY-MM-DD. */
  readonly calendar_date?: string | null;
  /** E.g. Breakfast. */
  readonly name?: string | null;
  readonly energy?: {
    /** Unit of the value, e.g. kcal. */
    readonly unit?: string | null;
    /** Energy of the meal. */
    readonly value?: number | null;
    readonly [field: string]: unknown;
  } | null;
  readonly macros?: {
    /** Carbohydrates. Unit: g, as sent by providers; not documented by upstream. */
    readonly carbs?: number | null;
    /** Protein. Unit: g, as sent by providers; not documented by upstream. */
    readonly protein?: number | null;
    /** Fats by kind. Unit: g, as sent by providers; not documented by upstream. */
    readonly fats?: {
      readonly [field: string]: unknown;
    } | null;
    /** Alcohol. Unit: g, as sent by providers; not documented by upstream. */
    readonly alcohol?: number | null;
    readonly [field: string]: unknown;
  } | null;
  /** Trace elements, minerals and vitamins. */
  readonly micros?: {
    readonly [field: string]: unknown;
  } | null;
  /** Nutrients by food. */
  readonly data?: {
    readonly [field: string]: unknown;
  } | null;
  /** App that wrote it. */
  readonly source_app_id?: string | null;
  /** Id of the device. */
  readonly source_device_id?: string | null;
  readonly [field: string]: unknown;
};

/**
 * The object of menstrual_cycle as received from upstream. Any field may be missing or null, and there
 * may be others.
 */
export type MenstrualCycleData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Provider of the data. */
  readonly source_provider?: string | null;
  /** Type of the source. */
  readonly source_type?: string | null;
  /** App that wrote it. */
  readonly source_app_id?: string | null;
  /** Id of the device. */
  readonly source_device_id?: string | null;
  /** First day of the period, as YYYY-MM-DD. */
  readonly period_start?: string | null;
  /** Last day of the period. */
  readonly period_end?: string | null;
  /** Last day of the cycle. */
  readonly cycle_end?: string | null;
  /** True for a forecast. */
  readonly is_predicted?: boolean | null;
  /** Entries with date and flow. */
  readonly menstrual_flow?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and quality. */
  readonly cervical_mucus?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with a date. */
  readonly intermenstrual_bleeding?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and type. */
  readonly contraceptive?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and deviation. */
  readonly detected_deviations?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and result. */
  readonly ovulation_test?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and result. */
  readonly home_pregnancy_test?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and result. */
  readonly home_progesterone_test?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with a date. */
  readonly sexual_activity?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  /** Entries with date and value. Unit: °C, as sent by providers; not documented by upstream. */
  readonly basal_body_temperature?:
    | readonly {
        readonly [field: string]: unknown;
      }[]
    | null;
  readonly [field: string]: unknown;
};

/**
 * The object of profile as received from upstream. Any field may be missing or null, and there may be
 * others.
 */
export type ProfileData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Height. Unit: cm. */
  readonly height?: number | null;
  /** As YYYY-MM-DD. */
  readonly birth_date?: string | null;
  /** True if the person uses a wheelchair. */
  readonly wheelchair_use?: boolean | null;
  /** female, male, other or unknown; upstream may add values. */
  readonly gender?: string | null;
  /** female, male or other; upstream may add values. */
  readonly sex?: string | null;
  readonly [field: string]: unknown;
};

/**
 * The object of sleep as received from upstream. Any field may be missing or null, and there may be
 * others.
 */
export type SleepData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Deprecated: midnight UTC of the calendar date. */
  readonly date?: string | null;
  /** Day it belongs to, as YYYY-MM-DD. */
  readonly calendar_date?: string | null;
  /** Start of the time in bed. */
  readonly bedtime_start?: string | null;
  /** End of the time in bed. */
  readonly bedtime_stop?: string | null;
  /** long_sleep, short_sleep, acknowledged_nap or unknown; upstream may add values. */
  readonly type?: string | null;
  /** East of UTC. Unit: s. */
  readonly timezone_offset?: number | null;
  /** Time in bed, from bedtime_start to bedtime_stop. Unit: s. */
  readonly duration?: number | null;
  /** Time asleep: sum of rem, light and deep. Unit: s. */
  readonly total?: number | null;
  /** Time awake in bed. Unit: s. */
  readonly awake?: number | null;
  /** Light sleep. Unit: s. */
  readonly light?: number | null;
  /** REM sleep. Unit: s. */
  readonly rem?: number | null;
  /** Deep sleep. Unit: s. */
  readonly deep?: number | null;
  /** Sleep score from the provider. Unit: 1 to 100. */
  readonly score?: number | null;
  /** Recovery score from the provider. Unit: 0 to 100. */
  readonly recovery_readiness_score?: number | null;
  /** Lowest heart rate. Unit: bpm. */
  readonly hr_lowest?: number | null;
  /** Mean heart rate. Unit: bpm. */
  readonly hr_average?: number | null;
  /** Resting heart rate. Unit: bpm. */
  readonly hr_resting?: number | null;
  /** Drop of the heart rate during the night. Unit: %. */
  readonly hr_dip?: number | null;
  /** Share of time in bed spent asleep. Upstream documents a percentage; its examples show a fraction. */
  readonly efficiency?: number | null;
  /** Time to fall asleep. Unit: s. */
  readonly latency?: number | null;
  /** Difference from the usual skin temperature. Unit: °C. */
  readonly temperature_delta?: number | null;
  /** Skin temperature. Unit: °C. */
  readonly skin_temperature?: number | null;
  /** Mean heart rate variability (RMSSD). Unit: ms, as sent by providers; not documented by upstream. */
  readonly average_hrv?: number | null;
  /** Mean respiratory rate. Unit: breaths/min. */
  readonly respiratory_rate?: number | null;
  /** tentative or confirmed; upstream may add values. */
  readonly state?: string | null;
  /** Deprecated: lists of values during the night. */
  readonly sleep_stream?: {
    readonly [field: string]: unknown;
  } | null;
  readonly [field: string]: unknown;
};

/**
 * The object of sleep_cycle as received from upstream. Any field may be missing or null, and there may
 * be others.
 */
export type SleepCycleData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Provider of the data. */
  readonly source_provider?: string | null;
  /** Type of the source. */
  readonly source_type?: string | null;
  /** App that wrote it. */
  readonly source_app_id?: string | null;
  /** Id of the device. */
  readonly source_device_id?: string | null;
  /** Id of the sleep record it belongs to. */
  readonly sleep_id?: string | null;
  /** Start of the recording. */
  readonly session_start?: string | null;
  /** End of the recording. */
  readonly session_end?: string | null;
  /** Start of each stage after session_start. Unit: s. */
  readonly stage_start_offset_second?: readonly number[] | null;
  /** End of each stage after session_start. Unit: s. */
  readonly stage_end_offset_second?: readonly number[] | null;
  /** Each stage: -1 unknown, 1 deep, 2 light, 3 rem, 4 awake, 5 entered by hand. */
  readonly stage_type?: readonly number[] | null;
  /** IANA time zone. */
  readonly time_zone?: string | null;
  readonly [field: string]: unknown;
};

/**
 * The object of workouts as received from upstream. Any field may be missing or null, and there may be
 * others.
 */
export type WorkoutsData = {
  /** Id from upstream. */
  readonly id?: string | null;
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** When upstream first stored it. */
  readonly created_at?: string | null;
  /** When upstream last changed it. */
  readonly updated_at?: string | null;
  /** Title given by the person. */
  readonly title?: string | null;
  /** East of UTC. Unit: s. */
  readonly timezone_offset?: number | null;
  /** Mean heart rate. Unit: bpm, as sent by providers; not documented by upstream. */
  readonly average_hr?: number | null;
  /** Highest heart rate. Unit: bpm, as sent by providers; not documented by upstream. */
  readonly max_hr?: number | null;
  /** Distance covered. Unit: m, as sent by providers; not documented by upstream. */
  readonly distance?: number | null;
  /** Day it belongs to, as YYYY-MM-DD. */
  readonly calendar_date?: string | null;
  /** Start of the workout. */
  readonly time_start?: string | null;
  /** End of the workout. */
  readonly time_end?: string | null;
  /** Energy burned. Unit: kcal, as sent by providers; not documented by upstream. */
  readonly calories?: number | null;
  readonly sport?: {
    readonly id?: number | null;
    readonly name?: string | null;
    /** E.g. running. */
    readonly slug?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** Time in each heart rate zone. Unit: s. */
  readonly hr_zones?: readonly number[] | null;
  /** Time in motion. Unit: s, as sent by providers; not documented by upstream. */
  readonly moving_time?: number | null;
  /** Height climbed; unit not documented. */
  readonly total_elevation_gain?: number | null;
  /** Highest point; unit not documented. */
  readonly elev_high?: number | null;
  /** Lowest point; unit not documented. */
  readonly elev_low?: number | null;
  /** Mean speed; unit not documented. */
  readonly average_speed?: number | null;
  /** Highest speed; unit not documented. */
  readonly max_speed?: number | null;
  /** Mean power. Unit: W. */
  readonly average_watts?: number | null;
  /** Power measured by the device. Unit: W. */
  readonly device_watts?: number | null;
  /** Highest power. Unit: W. */
  readonly max_watts?: number | null;
  /** Weighted mean power. Unit: W. */
  readonly weighted_average_watts?: number | null;
  /** Steps. Unit: count. */
  readonly steps?: number | null;
  /** Route as encoded polylines. */
  readonly map?: {
    readonly [field: string]: unknown;
  } | null;
  /** Workout id from the provider. */
  readonly provider_id?: string | null;
  readonly [field: string]: unknown;
};

/**
 * The object of workout_stream as received from upstream. Any field may be missing or null, and there
 * may be others.
 */
export type WorkoutStreamData = {
  /** Upstream user id. */
  readonly user_id?: string | null;
  readonly source?: {
    /** Provider of the data, such as oura. */
    readonly provider?: string | null;
    /** Type of the source, such as ring. */
    readonly type?: string | null;
    /** App that wrote it, if the provider reports it. */
    readonly app_id?: string | null;
    /** Id of the device, if the provider reports it. */
    readonly device_id?: string | null;
    readonly [field: string]: unknown;
  } | null;
  /** Id of the workout record it belongs to. */
  readonly workout_id?: string | null;
  /** Workout id from the provider. */
  readonly provider_id?: string | null;
  /** Text of the event that announced it. */
  readonly message?: string | null;
  readonly sport?: {
    readonly id?: number | null;
    readonly name?: string | null;
    /** E.g. running. */
    readonly slug?: string | null;
    readonly [field: string]: unknown;
  } | null;
  readonly [field: string]: unknown;
};

/** Parameters and responses of each operation. */
export interface Operations {
  /** Report the outcome of a link attempt; a success requests a connection poll and a backfill */
  reportLinkOutcome: {
    path: undefined;
    query: undefined;
    body: LinkOutcomeReport;
    answer: undefined;
  };
  /** Link attempts with their outcome, newest first */
  listLinkAttempts: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly account_id?: string;
      readonly state?: 'open' | 'success' | 'exit' | 'error' | 'expired';
      /** Connected provider, or the requested one. */
      readonly provider?: string;
      /** Started at or after this time. */
      readonly start?: string;
      /** Started before this time. */
      readonly end?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly LinkAttemptDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Start an import of upstream users; returns the running import, if any */
  startAccountImport: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: AccountImportDto;
  };
  /** Account imports, newest first */
  listAccountImports: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly AccountImportDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get an account import with its progress and counts */
  getAccountImport: {
    path: {
      readonly import_id: number;
    };
    query: undefined;
    body: undefined;
    answer: AccountImportDto;
  };
  /** Differences between upstream users and accounts, in the order found */
  listAccountImportDifferences: {
    path: {
      readonly import_id: number;
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly kind?: 'adopted' | 'refused' | 'unknown_upstream';
    };
    body: undefined;
    answer: {
      readonly data: readonly ImportDifferenceDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Create a sign-in token for the mobile SDK */
  createMySignInToken: {
    path: undefined;
    query: undefined;
    body: SignInTokenRequest;
    answer: SignInTokenDto;
  };
  /** Create a link token to connect a source */
  createMyLinkToken: {
    path: undefined;
    query: undefined;
    body: LinkTokenRequest;
    answer: LinkTokenDto;
  };
  /** Create a sign-in token for an account; creates the account on first use */
  createSignInToken: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: SignInTokenRequest;
    answer: SignInTokenDto;
  };
  /** Create a link token for an account; creates the account on first use */
  createLinkToken: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: LinkTokenRequest;
    answer: LinkTokenDto;
  };
  /** App installations that received too many sign-in tokens in the last 24 hours */
  listFrequentSignIns: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly FrequentInstallationDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get the state of token issuance */
  getTokenIssuance: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: TokenIssuanceDto;
  };
  /** Enable or disable token issuance globally; in effect everywhere when the call returns */
  setTokenIssuance: {
    path: undefined;
    query: undefined;
    body: TokenIssuanceSetting;
    answer: TokenIssuanceDto;
  };
  /** Held deletions, newest first */
  listHeldDeletions: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly account_id?: string;
      /** Provider slug. */
      readonly provider?: string;
      readonly resource?:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts';
      readonly state?: 'open' | 'released' | 'rejected';
    };
    body: undefined;
    answer: {
      readonly data: readonly HeldDeletionDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Release held deletions: the next complete pull without the records hides them */
  releaseHeldDeletion: {
    path: {
      readonly id: number;
    };
    query: undefined;
    body: DecisionRequest;
    answer: HeldDeletionDto;
  };
  /** Reject held deletions: the records stay visible */
  rejectHeldDeletion: {
    path: {
      readonly id: number;
    };
    query: undefined;
    body: DecisionRequest;
    answer: HeldDeletionDto;
  };
  /** Source priorities by data type, for accounts that do not override them */
  getSourcePriorities: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SourcePrioritiesDto;
  };
  /** Set or remove the list of a data type for all accounts; upstream's list is unchanged */
  changeSourcePriorities: {
    path: undefined;
    query: undefined;
    body: SourcePriorityChange;
    answer: SourcePrioritiesDto;
  };
  /** Source priorities of an account by data type */
  getAccountSourcePriorities: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: SourcePrioritiesDto;
  };
  /** Set or remove the list of a data type for an account */
  changeAccountSourcePriorities: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: SourcePriorityChange;
    answer: SourcePrioritiesDto;
  };
  /** Get the CapabilityStatement of FHIR R4 */
  getFhirMetadata: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: string;
  };
  /** Results that upstream could not attach to an order, newest first */
  listUnmatchedResults: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Only those that wait (true) or do not wait (false) for a decision. */
      readonly waiting?: boolean;
      /** pending_customer_review, pending_ops_review, matched or resolved; upstream may add values. */
      readonly status?: string;
      readonly account_id?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly UnmatchedResultDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get an unmatched result with its candidates and, for the role reader, its content */
  getUnmatchedResult: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: ShownUnmatchedResultDto;
  };
  /** Attach the result to an order, once per idempotency key */
  acceptUnmatchedResult: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: AcceptBody;
    answer: DecidedUnmatchedResultDto;
  };
  /** Reject the result or leave it to upstream's staff, once per idempotency key */
  resolveUnmatchedResult: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: ResolveBody;
    answer: DecidedUnmatchedResultDto;
  };
  /** Orders, newest first */
  listOrders: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly account_id?: string;
      readonly order_transaction_id?: string;
      /** initial, redraw or recreation; upstream may add values. */
      readonly origin?: string;
      /** Full status or a part of it, e.g. redraw_available or collecting_sample. */
      readonly status?: string;
      /** Only orders with (true) or without (false) a critical result. */
      readonly critical?: boolean;
      /**
       * false: only orders with a critical result of which the patient was not informed. true: only orders
       * whose patient was informed of every critical result.
       */
      readonly notified?: boolean;
      /** Earlier name of notified. @deprecated */
      readonly told?: boolean;
      /**
       * given_up: a result that upstream announced could not be fetched. withdrawn: upstream withdrew a
       * version of the result. Results of a whole transaction count for each of its orders.
       */
      readonly result?: 'given_up' | 'withdrawn';
    };
    body: undefined;
    answer: {
      readonly data: readonly OrderDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Store the ids of an order that the customer placed */
  storeOrder: {
    path: undefined;
    query: undefined;
    body: OrderPairBody;
    answer: OrderDetailDto;
  };
  /** Get an order with its events, appointments and, for the role reader, critical results */
  getOrder: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: undefined;
    answer: ShownOrderDto;
  };
  /** Records that the patient was informed of critical results or of a redraw */
  listNotifications: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: undefined;
    answer: NotificationHistoryDto;
  };
  /** Record that the patient was informed of the critical results */
  notifyOfCriticalResults: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: CriticalToldBody;
    answer: RecordedToldDto;
  };
  /** Earlier name of .../notified */
  tellCriticalResults: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: CriticalToldBody;
    answer: RecordedToldDto;
  };
  /** Order transactions, newest first */
  listOrderTransactions: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** active, completed or cancelled; upstream may add values. */
      readonly status?: string;
      /**
       * Action needed. redraw: inform the patient of a second draw. replace: order again, because the sample
       * or kit came to nothing. unblock: give the lab the information it waits for. release: the order is on
       * hold.
       */
      readonly needs?: 'redraw' | 'replace' | 'unblock' | 'release';
      /** Only those with (true) or without (false) a record that the patient was informed. */
      readonly notified?: boolean;
      /** Earlier name of notified. @deprecated */
      readonly told?: boolean;
    };
    body: undefined;
    answer: {
      readonly data: readonly TransactionDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get an order transaction with its orders and the one to act on now */
  getOrderTransaction: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: ShownTransactionDto;
  };
  /** Refresh an order transaction and its orders from upstream */
  refreshOrderTransaction: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: TransactionDetailDto;
  };
  /** Record that the patient was informed of the redraw */
  notifyOfRedraw: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: ToldBody;
    answer: RecordedToldDto;
  };
  /** Record that a lost sample or kit was replaced, or that the case was closed with the patient */
  recordReplacement: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: RecordedReplacementDto;
  };
  /** Earlier name of .../notified */
  tellRedraw: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: ToldBody;
    answer: RecordedToldDto;
  };
  /** Orders of the signed-in person with their transactions, newest first */
  listMyOrders: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly OwnOrderInChainDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get an order transaction of the signed-in person, with the order to act on now */
  getMyOrderTransaction: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: OwnTransactionDto;
  };
  /** Parsing jobs of lab reports without their content, newest first */
  listParsingJobs: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly account_id?: string;
      readonly order_id?: string;
      /** True: only jobs whose end could not be read for 30 days. */
      readonly given_up?: boolean;
    };
    body: undefined;
    answer: {
      readonly data: readonly ParsingJobDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get a parsing job with the data of its newest event */
  getParsingJob: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: ParsingJobDetailDto;
  };
  /** Open work of the clinic on lab orders, most urgent first, then oldest first */
  listLabWork: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Only items of this kind. */
      readonly kind?: 'notify' | 'book' | 'decide' | 'replace' | 'chase';
      readonly account_id?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly LabWorkDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get the results of an order from upstream; every version is stored */
  getOrderResult: {
    path: {
      readonly order_id: string;
    };
    query: {
      /** Stored version to return, without a call to upstream. */
      readonly version?: number;
    };
    body: undefined;
    answer: ResultDto;
  };
  /** Get the results of an order transaction from upstream; every version is stored */
  getOrderTransactionResult: {
    path: {
      readonly id: string;
    };
    query: {
      /** Stored version to return, without a call to upstream. */
      readonly version?: number;
    };
    body: undefined;
    answer: ResultDto;
  };
  /** Get the final result of an order transaction of the signed-in person (if APP_RESULTS allows) */
  getMyResult: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: OwnResultDto;
  };
  /** Changes between the stored versions of the result of an order, by marker */
  listResultChanges: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: undefined;
    answer: ResultChangesDto;
  };
  /** Changes between the stored versions of the result of an order transaction, by marker */
  listCombinedResultChanges: {
    path: {
      readonly id: string;
    };
    query: undefined;
    body: undefined;
    answer: ResultChangesDto;
  };
  /** Upload a lab report of an account to upstream's parser (in beta at upstream) */
  uploadLabReport: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: FormData;
    answer: UploadedReportDto;
  };
  /** Get the parsing job of a lab report of an account */
  getLabReport: {
    path: {
      readonly account_id: string;
      readonly job_id: string;
    };
    query: undefined;
    body: undefined;
    answer: LabReportDto;
  };
  /** Upload a lab report of the signed-in person to upstream's parser (in beta at upstream) */
  uploadMyLabReport: {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: UploadedReportDto;
  };
  /** Get the parsing job of a lab report of the signed-in person */
  getMyLabReport: {
    path: {
      readonly job_id: string;
    };
    query: undefined;
    body: undefined;
    answer: LabReportDto;
  };
  /** Book an appointment for an order, once per idempotency key */
  bookAppointment: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: BookBody;
    answer: BookedAppointmentDto;
  };
  /** Move the appointment of an order to another slot */
  rescheduleAppointment: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: RescheduleBody;
    answer: AppointmentDto;
  };
  /** Cancel the appointment of an order */
  cancelAppointment: {
    path: {
      readonly order_id: string;
    };
    query: {
      /**
       * One of GET /admin/v1/labs/cancellation-reasons; in the query for clients that cannot send a body
       * with DELETE.
       */
      readonly cancellation_reason_id?: string | null;
    };
    body: CancelBody;
    answer: AppointmentDto;
  };
  /** Reasons for cancelling an appointment */
  listCancellationReasons: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: CancellationReasonsDto;
  };
  /** Search available appointments near a zip code or at given sites */
  searchAvailability: {
    path: undefined;
    query: undefined;
    body: AvailabilityRequest;
    answer: AvailabilityDto;
  };
  /** Search lab tests by name or code, with their names at each lab */
  searchCompendium: {
    path: undefined;
    query: undefined;
    body: CompendiumRequest;
    answer: CompendiumDto;
  };
  /** Convert lab tests to their matches at another lab */
  convertTests: {
    path: undefined;
    query: undefined;
    body: ConversionRequest;
    answer: ConversionDto;
  };
  /** Search available appointments near a zip code or at given sites */
  searchAvailabilityAsOperator: {
    path: undefined;
    query: undefined;
    body: AvailabilityRequest;
    answer: AvailabilityDto;
  };
  /** Search lab tests by name or code, with their names at each lab */
  searchCompendiumAsOperator: {
    path: undefined;
    query: undefined;
    body: CompendiumRequest;
    answer: CompendiumDto;
  };
  /** Convert lab tests to their matches at another lab */
  convertTestsAsOperator: {
    path: undefined;
    query: undefined;
    body: ConversionRequest;
    answer: ConversionDto;
  };
  /** Lab tests that can be ordered */
  listLabTests: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: LabTestPageDto;
  };
  /** Get a lab test that can be ordered */
  getLabTest: {
    path: {
      readonly lab_test_id: string;
    };
    query: undefined;
    body: undefined;
    answer: LabTestDto;
  };
  /** The markers of a lab test, with the questions to answer when it is ordered */
  listLabTestMarkers: {
    path: {
      readonly lab_test_id: string;
    };
    query: undefined;
    body: undefined;
    answer: LabTestMarkersDto;
  };
  /** Services around a zip code: draws at home, and patient service centers of each lab */
  getArea: {
    path: undefined;
    query: {
      readonly zip_code: string;
      /** Miles. */
      readonly radius?: string;
      /** Slug of a lab. Default: every lab. */
      readonly lab?: string;
    };
    body: undefined;
    answer: AreaDto;
  };
  /** Patient service centers of a lab around a zip code */
  listPlaces: {
    path: undefined;
    query: {
      readonly zip_code: string;
      /** Miles. */
      readonly radius?: string;
      /** lab.id of a lab test. */
      readonly lab_id: number;
    };
    body: undefined;
    answer: PlacesDto;
  };
  /** Patient service centers for an order of the signed-in person */
  listMyOrderPlaces: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: undefined;
    answer: PlacesDto;
  };
  /** Services around a zip code: draws at home, and patient service centers of each lab */
  getAreaAsOperator: {
    path: undefined;
    query: {
      readonly zip_code: string;
      /** Miles. */
      readonly radius?: string;
      /** Slug of a lab. Default: every lab. */
      readonly lab?: string;
    };
    body: undefined;
    answer: AreaDto;
  };
  /** Patient service centers of a lab around a zip code */
  listPlacesAsOperator: {
    path: undefined;
    query: {
      readonly zip_code: string;
      /** Miles. */
      readonly radius?: string;
      /** lab.id of a lab test. */
      readonly lab_id: number;
    };
    body: undefined;
    answer: PlacesDto;
  };
  /** Patient service centers for an order */
  listOrderPlaces: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: undefined;
    answer: PlacesDto;
  };
  /** Place an order upstream, once per idempotency key */
  placeOrder: {
    path: undefined;
    query: undefined;
    body: PlaceOrderBody;
    answer: PlacedOrderDto;
  };
  /** Cancel an order upstream */
  cancelOrder: {
    path: {
      readonly order_id: string;
    };
    query: undefined;
    body: undefined;
    answer: CancelledOrderDto;
  };
  /** Pull an account again; the tasks are stored before the response */
  requestSync: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: SyncRequest;
    answer: SyncReceipt;
  };
  /** Pull tasks, newest first */
  listSyncTasks: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly status?: 'pending' | 'running' | 'done' | 'failed';
      readonly account_id?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly TaskDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get a pull task with its progress */
  getSyncTask: {
    path: {
      readonly id: number;
    };
    query: undefined;
    body: undefined;
    answer: TaskDetailDto;
  };
  /** Get the progress of all pulls */
  getSyncProgress: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ProgressDto;
  };
  /** Latest status of upstream's historical pulls */
  listHistoricalPulls: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly account_id?: string;
      /** Provider or lab slug. */
      readonly provider?: string;
      /** scheduled, in_progress, retrying, success or failure; upstream may add values. */
      readonly status?: string;
      /** true: only pulls that have been running for more than 24 hours; false: only the others. */
      readonly stuck?: boolean;
    };
    body: undefined;
    answer: {
      readonly data: readonly PullDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Fetches of workout series announced by events, newest first */
  listWorkoutSeries: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly status?: 'due' | 'done' | 'failed';
      readonly account_id?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly SeriesFetchDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Disconnect a source of the signed-in person; repeatable, stored records stay */
  disconnectMySource: {
    path: {
      /** Provider, as in the list of sources. */
      readonly provider: string;
    };
    query: undefined;
    body: undefined;
    answer: DisconnectionDto;
  };
  /** Disconnect a source of an account; repeatable, stored records stay */
  disconnectSource: {
    path: {
      readonly account_id: string;
      /** Provider, as in the list of sources. */
      readonly provider: string;
    };
    query: undefined;
    body: undefined;
    answer: DisconnectionDto;
  };
  /** Disconnect a source of a retired provider once its successor has taken over */
  disconnectReplacedSource: {
    path: {
      readonly account_id: string;
      /** Provider, as in the list of sources. */
      readonly provider: string;
    };
    query: undefined;
    body: undefined;
    answer: DisconnectionDto;
  };
  /** Sources that are not disconnected, of all accounts */
  listSources: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** true: only sources of retired providers. false: all others. */
      readonly retired?: boolean;
      /** Provider slug. */
      readonly provider?: string;
      /** Upstream's word: connected, error, paused, ... */
      readonly status?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly SourceDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Messages without their bodies, newest first */
  listMessages: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly status?: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
      readonly event_type?: string;
      /**
       * Why it is ignored, dead or waiting, e.g. unknown_user, waiting_for_user, user_mismatch,
       * nested_too_deep, unreadable_data, unknown_event.
       */
      readonly reason?: string;
      readonly account_id?: string;
      /** Received at or after this time. */
      readonly from?: string;
      /** Received before this time. */
      readonly to?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly MessageDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Newest matching messages, grouped by event type, status and reason */
  listMessageGroups: {
    path: undefined;
    query: {
      readonly status?: 'received' | 'done' | 'retry' | 'dead' | 'ignored';
      readonly event_type?: string;
      /**
       * Why it is ignored, dead or waiting, e.g. unknown_user, waiting_for_user, user_mismatch,
       * nested_too_deep, unreadable_data, unknown_event.
       */
      readonly reason?: string;
      /** Received at or after this time. */
      readonly from?: string;
      /** Received before this time. */
      readonly to?: string;
    };
    body: undefined;
    answer: MessageGroupsDto;
  };
  /** Get a message; its body requires the role reader */
  getMessage: {
    path: {
      /** Message id from upstream. */
      readonly message_id: string;
    };
    query: {
      /** false omits the body, so that the access log records no read. */
      readonly body?: boolean;
    };
    body: undefined;
    answer: MessageDetailDto;
  };
  /** Replay a message; it is processed like a new delivery */
  replayMessage: {
    path: {
      /** Message id from upstream. */
      readonly message_id: string;
    };
    query: undefined;
    body: undefined;
    answer: MessageDto;
  };
  /** Replay many messages, or only count them (`dry_run`) */
  replayMessages: {
    path: undefined;
    query: undefined;
    body: ReplayFilter;
    answer: ReplayForecastDto | ReplayDto;
  };
  /** Replays, newest first */
  listMessageReplays: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly ReplayDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get a replay with its state and counts */
  getMessageReplay: {
    path: {
      readonly replay_id: number;
    };
    query: undefined;
    body: undefined;
    answer: ReplayDto;
  };
  /** Cancel a replay; no effect once it has ended */
  cancelMessageReplay: {
    path: {
      readonly replay_id: number;
    };
    query: undefined;
    body: undefined;
    answer: ReplayDto;
  };
  /** Pull all accounts over the window of an outage, or estimate the cost (`dry_run`) */
  startRecovery: {
    path: undefined;
    query: undefined;
    body: RecoveryRequest;
    answer: RecoveryForecastDto | RecoveryDto;
  };
  /** Recoveries, newest first */
  listRecoveries: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly RecoveryDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get a recovery with its progress */
  getRecovery: {
    path: {
      readonly recovery_id: number;
    };
    query: undefined;
    body: undefined;
    answer: RecoveryDto;
  };
  /** Compare stored days of an account with upstream, and repair what differs */
  startAudit: {
    path: undefined;
    query: undefined;
    body: AuditRequest;
    answer: AuditDto;
  };
  /** Audits, newest first */
  listAudits: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly account_id?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly AuditDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get an audit with its progress */
  getAudit: {
    path: {
      readonly audit_id: number;
    };
    query: undefined;
    body: undefined;
    answer: AuditDto;
  };
  /** Cancel an audit; no effect once it has ended */
  cancelAudit: {
    path: {
      readonly audit_id: number;
    };
    query: undefined;
    body: undefined;
    answer: AuditDto;
  };
  /** Compared days of an account, by resource, source and day */
  listProofs: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly resource?:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts';
      /** Only this source. */
      readonly provider?: string;
      readonly first_day?: string;
      readonly last_day?: string;
      readonly state?: 'proven' | 'repairing' | 'held' | 'different';
    };
    body: undefined;
    answer: {
      readonly data: readonly DayProofDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Changes after a cursor, oldest first, or back from it */
  listChanges: {
    path: undefined;
    query: {
      /** Only changes of this account. */
      readonly account_id?: string;
      /**
       * Cursor to continue after: `next` of the previous page, the `position` of a snapshot, or the `cursor`
       * of a change. Default: start with the oldest change that is kept.
       */
      readonly after?: string;
      /**
       * newest: backwards from `after` (default: the end), for people who look at the feed; `up_to_date` is
       * then true at the oldest change that is kept. Consumers follow it from the oldest on.
       */
      readonly order?: 'oldest' | 'newest';
      readonly limit?: number;
      /** Seconds to wait for a change if there is none yet. */
      readonly wait?: number;
      /** Only these kinds, separated by commas. */
      readonly kinds?: readonly (
        | 'account'
        | 'source'
        | 'history.complete'
        | 'samples'
        | 'sample_hours'
        | 'summary'
        | 'order'
        | 'order_transaction'
        | 'redraw'
        | 'appointment'
        | 'result'
        | 'critical_result'
        | 'erasure'
        | 'alarm'
        | 'answers'
      )[];
    };
    body: undefined;
    answer: ChangePageDto;
  };
  /** Stream the current state as NDJSON, with the position from which to read changes */
  takeSnapshot: {
    path: undefined;
    query: undefined;
    body: SnapshotRequest;
    answer: string;
  };
  /** Report the position of a consumer */
  reportConsumerPosition: {
    path: {
      readonly name: string;
    };
    query: undefined;
    body: ConsumerPositionRequest;
    answer: undefined;
  };
  /** Consumers of the change feed with their lag, by name */
  listConsumers: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ConsumersDto;
  };
  /** Remove a consumer that is no longer used */
  forgetConsumer: {
    path: {
      readonly name: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Create a subscription; only this response contains its secret */
  createSubscription: {
    path: undefined;
    query: undefined;
    body: SubscriptionRequest;
    answer: SubscriptionWithSecretDto;
  };
  /** Subscriptions: endpoints that changes are pushed to */
  listSubscriptions: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly SubscriptionDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get a subscription with its position and last failure */
  getSubscription: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: undefined;
    answer: SubscriptionDto;
  };
  /** Change the URL, payload or filters for future pushes */
  updateSubscription: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: SubscriptionPatch;
    answer: SubscriptionDto;
  };
  /** Delete a subscription */
  deleteSubscription: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Rotate the secret; pushes carry both signatures until the previous secret ends */
  rotateSubscriptionSecret: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: RotationRequest;
    answer: SubscriptionWithSecretDto;
  };
  /** Pause a subscription; it keeps its position in the feed */
  disableSubscription: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: undefined;
    answer: SubscriptionDto;
  };
  /** Resume a subscription from its position, or after a cursor */
  enableSubscription: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: EnableRequest;
    answer: SubscriptionDto;
  };
  /** Send a signed `test` event now, even if the subscription is disabled */
  testSubscription: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: undefined;
    answer: PushTestDto;
  };
  /** Pushes of the last 7 days, newest change first */
  listPushes: {
    path: {
      readonly subscription_id: string;
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly state?: 'waiting' | 'delivered' | 'given_up';
      readonly kind?:
        | 'account'
        | 'source'
        | 'history.complete'
        | 'samples'
        | 'sample_hours'
        | 'summary'
        | 'order'
        | 'order_transaction'
        | 'redraw'
        | 'appointment'
        | 'result'
        | 'critical_result'
        | 'erasure'
        | 'alarm'
        | 'answers';
      readonly account_id?: string;
      /** First recorded at or after this time. */
      readonly start?: string;
      /** First recorded before this time. */
      readonly end?: string;
      /** Former name of start. @deprecated */
      readonly from?: string;
      /** Former name of end. @deprecated */
      readonly to?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly PushDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Resend matching pushes, or everything after a cursor; ids stay the same */
  replayPushes: {
    path: {
      readonly subscription_id: string;
    };
    query: undefined;
    body: PushReplayRequest;
    answer: PushReplayReceipt;
  };
  /** Resend a push */
  replayPush: {
    path: {
      readonly subscription_id: string;
      /** Id of the change; also the `webhook-id` of its push. */
      readonly change_id: string;
    };
    query: undefined;
    body: undefined;
    answer: PushDto;
  };
  /** Access log, newest first; reading it is recorded too */
  listAccessLog: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Entries about this account; 404 if it does not exist. */
      readonly account_id?: string;
      /**
       * Entries about the account with this number, as shown in the receipt of its erasure. 404 without
       * entries.
       */
      readonly account_ref?: number;
      /** Name of an admin key or a person, or app, cli, system; 400 if unknown. */
      readonly actor?: string;
      /** Method and route exactly as in the entries; 400 if unknown. */
      readonly action?: string;
      /** Reads of this resource, including reads of all resources together, such as exports. */
      readonly resource?:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'hypnogram'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
        | 'workout_stream'
        | 'lab_results'
        | 'order_documents'
        | '*';
      /** Reads of values at or after this time, including reads without an end. */
      readonly window_start?: string;
      /** Reads of values before this time. */
      readonly window_end?: string;
      /** Recorded at or after this time. */
      readonly start?: string;
      /** Recorded before this time. */
      readonly end?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly AccessEntryDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Verify that no entry was changed, removed, added or moved */
  verifyAccessLog: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: VerificationDto;
  };
  /** Verify the log, also against checkpoints kept outside the database */
  verifyAccessLogAgainstNoted: {
    path: undefined;
    query: undefined;
    body: VerificationRequest;
    answer: VerificationDto;
  };
  /** Get a signed checkpoint of the end of the access log */
  signAccessLogCheckpoint: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: CheckpointDto;
  };
  /** Export all data of a person as a stream of JSON lines */
  exportAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: string;
  };
  /** Erase the signed-in person: all data here and the upstream user; the response is the receipt */
  eraseMe: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ErasureDto;
  };
  /** Get the account of the signed-in person with its connected sources and stored resources */
  getMe: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: MeDto;
  };
  /** Set the time zone of the signed-in person, from now on */
  updateMe: {
    path: undefined;
    query: undefined;
    body: MySettings;
    answer: MeDto;
  };
  /** Export all data of the signed-in person as a stream of JSON lines */
  exportMe: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: string;
  };
  /** Erase a person: all data here and the upstream user; repeated requests return the same erasure */
  eraseAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: ErasureDto;
  };
  /** Get an account with its sources and devices; the access is recorded */
  getAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: AccountDetailDto;
  };
  /** Change the settings of an account, upstream and here */
  updateAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: AccountSettings;
    answer: AccountDto;
  };
  /** Erasures, newest first */
  listErasures: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly ErasureDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get the receipt and progress of an erasure */
  getErasure: {
    path: {
      readonly erasure_id: string;
    };
    query: undefined;
    body: undefined;
    answer: ErasureDto;
  };
  /** Allow a new account with the account id of an erased person */
  openErasureFence: {
    path: {
      readonly erasure_id: string;
    };
    query: undefined;
    body: undefined;
    answer: ErasureDto;
  };
  /** Get the fence of an account id; 404 if it belonged to no erased person */
  getErasureFence: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: FenceDto;
  };
  /** Accounts, oldest first, or found by part of an id */
  listAccounts: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /**
       * Part of an account id in either case, or at least the first 8 characters of an upstream user id,
       * pseudonym or `log_ref`. The accounts found are in order of their account ids.
       */
      readonly q?: string;
      readonly status?: 'pending' | 'active' | 'blocked' | 'erasing' | 'user_gone';
      /** Only accounts with a source of this provider that is not disconnected. */
      readonly provider?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly ListedAccountDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Create an account and its upstream user, or adopt an existing user */
  createAccount: {
    path: undefined;
    query: undefined;
    body: AccountCreation;
    answer: AccountDto;
  };
  /** Create a new upstream user for an account whose user is gone */
  relinkAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: AccountDto;
  };
  /** Block an account: no tokens; stored data stays readable */
  blockAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: AccountDto;
  };
  /** Unblock an account: tokens are issued again */
  unblockAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: AccountDto;
  };
  /** Get the system overview: counts, backlog and alarms */
  getOverview: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: OverviewDto;
  };
  /** Get the bytes stored per person and day by resource, and the days until the disk is full */
  getForecast: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ForecastDto;
  };
  /** Get the messages of the last 24 hours by hour, and the upstream calls of the responding process */
  getActivity: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ActivityDto;
  };
  /** Get an explanation of an empty or odd day of a resource, with its evidence */
  explainDay: {
    path: {
      readonly account_id: string;
    };
    query: {
      readonly resource:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts';
      /** Local day of the person, or calendar date for summaries that have one. */
      readonly day: string;
      /** Only this source. */
      readonly provider?: string;
    };
    body: undefined;
    answer: ExplanationDto;
  };
  /** Explanations of a day for every resource, in catalogue order */
  explainDayOfEveryResource: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** Local day of the person, or calendar date for summaries that have one. */
      readonly day: string;
      /** Only this source. */
      readonly provider?: string;
    };
    body: undefined;
    answer: ExplanationsDto;
  };
  /** State of each source, resource and day: received, empty, pending, failed or unknown */
  getCoverage: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      readonly resource?:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts';
      /** Provider slug. */
      readonly provider?: string;
      /** First day, inclusive. Default: 29 days before the last. */
      readonly first_day?: string;
      /** Last day, inclusive; at most 366 days. Default: today where the person is. */
      readonly last_day?: string;
      /** Former name of first_day. @deprecated */
      readonly start?: string;
      /** Former name of last_day. @deprecated */
      readonly end?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly CoverageStreamDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Find the account, order, transaction or message that an id, or part of one, belongs to */
  search: {
    path: undefined;
    query: {
      /**
       * Any part of an account id, or the beginning of another id: of an upstream user, pseudonym or
       * `log_ref` at least 8 characters. Also an id as the console shortens it: `8440121b-1c…53b8a`.
       */
      readonly q: string;
    };
    body: undefined;
    answer: SearchResultDto;
  };
  /** Timeline of an account, newest first */
  listTimeline: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Only these kinds, separated by commas. */
      readonly kind?: readonly (
        | 'operator_act'
        | 'critical_result'
        | 'result'
        | 'unmatched_result'
        | 'parsing_job'
        | 'appointment'
        | 'order_event'
        | 'order'
        | 'records_gone'
        | 'pull_failed'
        | 'pull_done'
        | 'pull_requested'
        | 'history_pull'
        | 'connection'
        | 'link_outcome'
        | 'message_given_up'
        | 'message'
        | 'link_token'
        | 'sign_in_token'
        | 'account_linked'
        | 'user_replaced'
        | 'account_created'
      )[];
      /** Happened at or after this time. */
      readonly start?: string;
      /** Happened before this time. */
      readonly end?: string;
    };
    body: undefined;
    answer: {
      readonly data: readonly TimelineEntryDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Raised alarms, most urgent first */
  listAlarms: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: AlarmsDto;
  };
  /** Acknowledge a raised alarm until it grows */
  acknowledgeAlarm: {
    path: {
      readonly code:
        | 'critical_results'
        | 'store_refused'
        | 'database_file_lost'
        | 'database_went_back'
        | 'database_promoted'
        | 'rows_hidden'
        | 'numbers_repeated'
        | 'sessions_few'
        | 'replica_unused'
        | 'disk_low'
        | 'backup_late'
        | 'access_log_broken'
        | 'access_log_unchained'
        | 'worker_stuck'
        | 'rounds_failing'
        | 'inbox_unworked'
        | 'pulls_unworked'
        | 'upstream_key_refused'
        | 'upstream_away'
        | 'deliveries_refused'
        | 'deliveries_untimely'
        | 'deliveries_misaddressed'
        | 'deliveries_shed'
        | 'broker_not_consuming'
        | 'callers_waiting'
        | 'key_set_unreadable'
        | 'secret_files_refused'
        | 'fence_key_missing'
        | 'silence'
        | 'provider_silent'
        | 'other_account'
        | 'tokens_closed'
        | 'dead_messages'
        | 'foreign_messages'
        | 'failed_tasks'
        | 'failed_historical_pulls'
        | 'stuck_historical_pulls'
        | 'deletions_held'
        | 'audit_faults'
        | 'consumer_lagging'
        | 'order_list_stuck'
        | 'results_to_review'
        | 'results_given_up'
        | 'reads_given_up'
        | 'results_withdrawn'
        | 'redraws_untold'
        | 'redraws_overdue'
        | 'uploads_unknown'
        | 'frequent_sign_ins'
        | 'push_failing'
        | 'push_disabled'
        | 'erasures_held_up';
    };
    query: undefined;
    body: AlarmAcknowledgementRequest;
    answer: AlarmDto;
  };
  /** Stored records of an account with their provenance, oldest first */
  listRecords: {
    path: {
      readonly account_id: string;
      readonly resource:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'hypnogram'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
        | 'workout_stream';
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Inclusive start: RFC 3339, or YYYY-MM-DD for midnight UTC. */
      readonly start?: string;
      /** Exclusive end, in the same formats as `start`. */
      readonly end?: string;
      /** Provider of the source, as in `source.provider`. */
      readonly provider?: string;
      /** Type of the source, as in `source.type`. */
      readonly source_type?: string;
      /**
       * First calendar day, inclusive. For activity, body, meal, sleep, workouts, which contain their day,
       * and for samples and other summaries, whose days are those of the person, as in `daily` and
       * `explain`: these need both `first_day` and `last_day`, at most 366 days.
       */
      readonly first_day?: string;
      /**
       * Last calendar day, inclusive. For activity, body, meal, sleep, workouts, which contain their day,
       * and for samples and other summaries, whose days are those of the person, as in `daily` and
       * `explain`: these need both `first_day` and `last_day`, at most 366 days.
       */
      readonly last_day?: string;
      /** By `time`. Not with latest_per_day. */
      readonly order?: 'oldest' | 'newest';
      /**
       * Only records added or edited since this time, whatever their own time. Unchanged records may be
       * included; all are returned if too much changed or the time is too long ago. Overlap consecutive
       * requests by a minute. Hidden records are not reported. Not with latest_per_day.
       */
      readonly updated_since?: string;
      /** Documented fields of `data` to return, separated by commas. Only for summaries. Default: all. */
      readonly fields?: readonly string[];
      /**
       * One record per day, from the source that comes first by `source-priorities`: the most recently
       * updated. For sleep, long sleeps come before short ones and naps, whatever their source; a split
       * night has several. For workouts and meals all, except those that better records mostly cover.
       * Sources are never added up; filters apply first. Only for activity, body, meal, sleep, workouts.
       */
      readonly latest_per_day?: boolean;
      /**
       * gone: also returns records that upstream no longer returns, with `gone`. The only filters beside it
       * are `start`, `end` and `provider`.
       */
      readonly include?: 'gone';
    };
    body: undefined;
    answer: {
      readonly data: readonly TracedHealthRecord[];
      readonly next_cursor: string | null;
      /**
       * Only if samples of the range were replaced by hourly sums (SAMPLES_KEEP_DAYS): the end of the newest
       * such hour. Samples before this time may be missing here; `daily` and `hourly` include their sums.
       */
      readonly thinned_until?: string;
    };
  };
  /**
   * Get the first screen of the signed-in person: last night, steps, resting heart rate, newest readings
   * and sources
   */
  getMyToday: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: TodayDto;
  };
  /** Newest record of each resource for the signed-in person, with its age */
  listMyLatest: {
    path: undefined;
    query: {
      /** Resource names, separated by commas, except workout streams. Default: all with a record. */
      readonly resources?: readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'hypnogram'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
      )[];
    };
    body: undefined;
    answer: {
      readonly data: readonly LatestDto[];
      readonly next_cursor: string | null;
    };
  };
  /**
   * Daily statistics for the signed-in person: totals merged from all sources, measures from one source
   * per day
   */
  listMyDays: {
    path: undefined;
    query: {
      /** Up to 10 resource names, separated by commas. */
      readonly resources: readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'daylight_exposure'
        | 'distance'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'stand_duration'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
      )[];
      /** First local day, inclusive. Default: the last 30 days; for hours, the last day alone. */
      readonly first_day?: string;
      /** Last local day, inclusive: at most 366 days; for hours, 7. Default: today where the person is. */
      readonly last_day?: string;
      /** Former name of first_day. @deprecated */
      readonly start?: string;
      /** The day after last_day, as it was named formerly. @deprecated */
      readonly end?: string;
      /**
       * Only for totals. merged: interval by interval, the best source that reports something there. single:
       * only the best source of the day that reports something.
       */
      readonly source_mode?: 'merged' | 'single';
      /** One row per day, per week from Monday, or per calendar month, as far as it is in the range. */
      readonly per?: 'day' | 'week' | 'month';
    };
    body: undefined;
    answer: {
      readonly data: readonly DailyDto[];
      readonly next_cursor: string | null;
    };
  };
  /**
   * Hourly statistics for the signed-in person: totals merged from all sources, measures from one source
   * per day
   */
  listMyHours: {
    path: undefined;
    query: {
      /** Up to 10 resource names, separated by commas. */
      readonly resources: readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'daylight_exposure'
        | 'distance'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'stand_duration'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
      )[];
      /** First local day, inclusive. Default: the last 30 days; for hours, the last day alone. */
      readonly first_day?: string;
      /** Last local day, inclusive: at most 366 days; for hours, 7. Default: today where the person is. */
      readonly last_day?: string;
      /** Former name of first_day. @deprecated */
      readonly start?: string;
      /** The day after last_day, as it was named formerly. @deprecated */
      readonly end?: string;
      /**
       * Only for totals. merged: interval by interval, the best source that reports something there. single:
       * only the best source of the day that reports something.
       */
      readonly source_mode?: 'merged' | 'single';
    };
    body: undefined;
    answer: {
      readonly data: readonly HourlyDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Why a day of a resource is empty or incomplete, for the signed-in person */
  explainMyDay: {
    path: undefined;
    query: {
      readonly resource:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts';
      /** Local day of the person, or calendar date for summaries that have one. */
      readonly day: string;
    };
    body: undefined;
    answer: OwnExplanationDto;
  };
  /** Records of a resource for the signed-in person, oldest first */
  listMyRecords: {
    path: {
      readonly resource:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'hypnogram'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
        | 'workout_stream';
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Inclusive start: RFC 3339, or YYYY-MM-DD for midnight UTC. */
      readonly start?: string;
      /** Exclusive end, in the same formats as `start`. */
      readonly end?: string;
      /** Provider of the source, as in `source.provider`. */
      readonly provider?: string;
      /** Type of the source, as in `source.type`. */
      readonly source_type?: string;
      /**
       * First calendar day, inclusive. For activity, body, meal, sleep, workouts, which contain their day,
       * and for samples and other summaries, whose days are those of the person, as in `daily` and
       * `explain`: these need both `first_day` and `last_day`, at most 366 days.
       */
      readonly first_day?: string;
      /**
       * Last calendar day, inclusive. For activity, body, meal, sleep, workouts, which contain their day,
       * and for samples and other summaries, whose days are those of the person, as in `daily` and
       * `explain`: these need both `first_day` and `last_day`, at most 366 days.
       */
      readonly last_day?: string;
      /** By `time`. Not with latest_per_day. */
      readonly order?: 'oldest' | 'newest';
      /**
       * Only records added or edited since this time, whatever their own time. Unchanged records may be
       * included; all are returned if too much changed or the time is too long ago. Overlap consecutive
       * requests by a minute. Hidden records are not reported. Not with latest_per_day.
       */
      readonly updated_since?: string;
      /** Documented fields of `data` to return, separated by commas. Only for summaries. Default: all. */
      readonly fields?: readonly string[];
      /**
       * One record per day, from the source that comes first by `source-priorities`: the most recently
       * updated. For sleep, long sleeps come before short ones and naps, whatever their source; a split
       * night has several. For workouts and meals all, except those that better records mostly cover.
       * Sources are never added up; filters apply first. Only for activity, body, meal, sleep, workouts.
       */
      readonly latest_per_day?: boolean;
      /**
       * In less detail, for a chart: one record for each source and span of this length that has samples,
       * with `min`, `mean`, `max` and `count`. Spans begin at multiples of their length in UTC. For measures
       * with one number, such as heartrate, in the unit of the data dictionary. Not with order,
       * updated_since, latest_per_day or fields.
       */
      readonly every?: '1m' | '5m' | '15m' | '1h';
    };
    body: undefined;
    answer: {
      readonly data: readonly HealthRecord[];
      readonly next_cursor: string | null;
      /**
       * Only if samples of the range were replaced by hourly sums (SAMPLES_KEEP_DAYS): the end of the newest
       * such hour. Samples before this time may be missing here; `daily` and `hourly` include their sums.
       */
      readonly thinned_until?: string;
    };
  };
  /** Get an account with its connected sources and stored resources */
  readAccount: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: MeDto;
  };
  /** Get the first screen: last night, steps, resting heart rate, newest readings and sources */
  readToday: {
    path: {
      readonly account_id: string;
    };
    query: undefined;
    body: undefined;
    answer: TodayDto;
  };
  /** Newest record of each resource with its age */
  readLatest: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** Resource names, separated by commas, except workout streams. Default: all with a record. */
      readonly resources?: readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'hypnogram'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
      )[];
    };
    body: undefined;
    answer: {
      readonly data: readonly LatestDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Daily statistics: totals merged from all sources, measures from one source per day */
  readDays: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** Up to 10 resource names, separated by commas. */
      readonly resources: readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'daylight_exposure'
        | 'distance'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'stand_duration'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
      )[];
      /** First local day, inclusive. Default: the last 30 days; for hours, the last day alone. */
      readonly first_day?: string;
      /** Last local day, inclusive: at most 366 days; for hours, 7. Default: today where the person is. */
      readonly last_day?: string;
      /** Former name of first_day. @deprecated */
      readonly start?: string;
      /** The day after last_day, as it was named formerly. @deprecated */
      readonly end?: string;
      /**
       * Only for totals. merged: interval by interval, the best source that reports something there. single:
       * only the best source of the day that reports something.
       */
      readonly source_mode?: 'merged' | 'single';
      /** One row per day, per week from Monday, or per calendar month, as far as it is in the range. */
      readonly per?: 'day' | 'week' | 'month';
    };
    body: undefined;
    answer: {
      readonly data: readonly DailyDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Hourly statistics: totals merged from all sources, measures from one source per day */
  readHours: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** Up to 10 resource names, separated by commas. */
      readonly resources: readonly (
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'daylight_exposure'
        | 'distance'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'stand_duration'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
      )[];
      /** First local day, inclusive. Default: the last 30 days; for hours, the last day alone. */
      readonly first_day?: string;
      /** Last local day, inclusive: at most 366 days; for hours, 7. Default: today where the person is. */
      readonly last_day?: string;
      /** Former name of first_day. @deprecated */
      readonly start?: string;
      /** The day after last_day, as it was named formerly. @deprecated */
      readonly end?: string;
      /**
       * Only for totals. merged: interval by interval, the best source that reports something there. single:
       * only the best source of the day that reports something.
       */
      readonly source_mode?: 'merged' | 'single';
    };
    body: undefined;
    answer: {
      readonly data: readonly HourlyDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Records of a resource as the app reads them, oldest first */
  readRecords: {
    path: {
      readonly account_id: string;
      readonly resource:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'hypnogram'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'profile'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts'
        | 'workout_stream';
    };
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
      /** Inclusive start: RFC 3339, or YYYY-MM-DD for midnight UTC. */
      readonly start?: string;
      /** Exclusive end, in the same formats as `start`. */
      readonly end?: string;
      /** Provider of the source, as in `source.provider`. */
      readonly provider?: string;
      /** Type of the source, as in `source.type`. */
      readonly source_type?: string;
      /**
       * First calendar day, inclusive. For activity, body, meal, sleep, workouts, which contain their day,
       * and for samples and other summaries, whose days are those of the person, as in `daily` and
       * `explain`: these need both `first_day` and `last_day`, at most 366 days.
       */
      readonly first_day?: string;
      /**
       * Last calendar day, inclusive. For activity, body, meal, sleep, workouts, which contain their day,
       * and for samples and other summaries, whose days are those of the person, as in `daily` and
       * `explain`: these need both `first_day` and `last_day`, at most 366 days.
       */
      readonly last_day?: string;
      /** By `time`. Not with latest_per_day. */
      readonly order?: 'oldest' | 'newest';
      /**
       * Only records added or edited since this time, whatever their own time. Unchanged records may be
       * included; all are returned if too much changed or the time is too long ago. Overlap consecutive
       * requests by a minute. Hidden records are not reported. Not with latest_per_day.
       */
      readonly updated_since?: string;
      /** Documented fields of `data` to return, separated by commas. Only for summaries. Default: all. */
      readonly fields?: readonly string[];
      /**
       * One record per day, from the source that comes first by `source-priorities`: the most recently
       * updated. For sleep, long sleeps come before short ones and naps, whatever their source; a split
       * night has several. For workouts and meals all, except those that better records mostly cover.
       * Sources are never added up; filters apply first. Only for activity, body, meal, sleep, workouts.
       */
      readonly latest_per_day?: boolean;
      /**
       * In less detail, for a chart: one record for each source and span of this length that has samples,
       * with `min`, `mean`, `max` and `count`. Spans begin at multiples of their length in UTC. For measures
       * with one number, such as heartrate, in the unit of the data dictionary. Not with order,
       * updated_since, latest_per_day or fields.
       */
      readonly every?: '1m' | '5m' | '15m' | '1h';
    };
    body: undefined;
    answer: {
      readonly data: readonly HealthRecord[];
      readonly next_cursor: string | null;
      /**
       * Only if samples of the range were replaced by hourly sums (SAMPLES_KEEP_DAYS): the end of the newest
       * such hour. Samples before this time may be missing here; `daily` and `hourly` include their sums.
       */
      readonly thinned_until?: string;
    };
  };
  /** Get the checks of `pulsekeep doctor`, run now by the responding process */
  examineDeployment: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: DiagnosisDto;
  };
  /** Sign in to the console with the key of this request; sets the session cookie */
  createSession: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SessionDto;
  };
  /** Console sessions, newest first; only the caller's own without the role operator */
  listSessions: {
    path: undefined;
    query: {
      /** next_cursor of the previous page. */
      readonly cursor?: string;
      readonly limit?: number;
    };
    body: undefined;
    answer: {
      readonly data: readonly SessionDto[];
      readonly next_cursor: string | null;
    };
  };
  /** Get the caller of this request, by key or session, and the service */
  getCurrentSession: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: CurrentSessionDto;
  };
  /** End a session; only the caller's own without the role operator */
  endSession: {
    path: {
      readonly session_id: string;
    };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get the configuration without secrets, the versions and the names of keys */
  getSettings: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SettingsDto;
  };
  /** Get a signed report about proven days, without values or ids */
  signAuditReport: {
    path: undefined;
    query: {
      /** First UTC day. */
      readonly first_day: string;
      /** Last UTC day. */
      readonly last_day: string;
      readonly account_id?: string;
      readonly resource?:
        | 'afib_burden'
        | 'basal_body_temperature'
        | 'blood_oxygen'
        | 'blood_pressure'
        | 'body_fat'
        | 'body_mass_index'
        | 'body_temperature'
        | 'body_temperature_delta'
        | 'body_weight'
        | 'caffeine'
        | 'calories_active'
        | 'calories_basal'
        | 'carbohydrates'
        | 'cholesterol'
        | 'daylight_exposure'
        | 'distance'
        | 'electrocardiogram_voltage'
        | 'fall'
        | 'floors_climbed'
        | 'forced_expiratory_volume_1'
        | 'forced_vital_capacity'
        | 'glucose'
        | 'handwashing'
        | 'heart_rate_alert'
        | 'heart_rate_recovery_one_minute'
        | 'heartrate'
        | 'hrv'
        | 'ige'
        | 'igg'
        | 'inhaler_usage'
        | 'insulin_injection'
        | 'lean_body_mass'
        | 'mindfulness_minutes'
        | 'note'
        | 'peak_expiratory_flow_rate'
        | 'respiratory_rate'
        | 'sleep_apnea_alert'
        | 'sleep_breathing_disturbance'
        | 'stand_duration'
        | 'stand_hour'
        | 'steps'
        | 'stress_level'
        | 'uv_exposure'
        | 'vo2_max'
        | 'waist_circumference'
        | 'water'
        | 'wheelchair_push'
        | 'workout_distance'
        | 'workout_duration'
        | 'workout_swimming_stroke'
        | 'activity'
        | 'body'
        | 'electrocardiogram'
        | 'meal'
        | 'menstrual_cycle'
        | 'sleep'
        | 'sleep_cycle'
        | 'workouts';
    };
    body: undefined;
    answer: string;
  };
  /** Get a signed report about the days of an audit, in their current state */
  signReportOfAudit: {
    path: {
      readonly audit_id: number;
    };
    query: undefined;
    body: undefined;
    answer: string;
  };
  /** Get the name of an account in signed reports */
  getAuditRef: {
    path: {
      readonly account_id: string;
    };
    query: {
      /** From the head of the report. */
      readonly report_id: string;
    };
    body: undefined;
    answer: AuditRefDto;
  };
  /** Get the public keys of reports: the current one first, then older ones */
  getReportKeys: {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: KeySetDto;
  };
}

/** Method and path of each operation; `keyed`: it takes an idempotency key. */
export const operations = {
  reportLinkOutcome: { method: 'POST', path: '/v1/me/link-outcomes', keyed: false },
  listLinkAttempts: { method: 'GET', path: '/admin/v1/link-attempts', keyed: false },
  startAccountImport: { method: 'POST', path: '/admin/v1/accounts/import', keyed: false },
  listAccountImports: { method: 'GET', path: '/admin/v1/account-imports', keyed: false },
  getAccountImport: { method: 'GET', path: '/admin/v1/account-imports/{import_id}', keyed: false },
  listAccountImportDifferences: {
    method: 'GET',
    path: '/admin/v1/account-imports/{import_id}/differences',
    keyed: false,
  },
  createMySignInToken: { method: 'POST', path: '/v1/me/sign-in-token', keyed: false },
  createMyLinkToken: { method: 'POST', path: '/v1/me/link-token', keyed: false },
  createSignInToken: { method: 'POST', path: '/admin/v1/accounts/{account_id}/sign-in-token', keyed: false },
  createLinkToken: { method: 'POST', path: '/admin/v1/accounts/{account_id}/link-token', keyed: false },
  listFrequentSignIns: { method: 'GET', path: '/admin/v1/frequent-sign-ins', keyed: false },
  getTokenIssuance: { method: 'GET', path: '/admin/v1/token-issuance', keyed: false },
  setTokenIssuance: { method: 'PUT', path: '/admin/v1/token-issuance', keyed: false },
  listHeldDeletions: { method: 'GET', path: '/admin/v1/deletions', keyed: false },
  releaseHeldDeletion: { method: 'POST', path: '/admin/v1/deletions/{id}/release', keyed: false },
  rejectHeldDeletion: { method: 'POST', path: '/admin/v1/deletions/{id}/reject', keyed: false },
  getSourcePriorities: { method: 'GET', path: '/admin/v1/source-priorities', keyed: false },
  changeSourcePriorities: { method: 'PATCH', path: '/admin/v1/source-priorities', keyed: false },
  getAccountSourcePriorities: {
    method: 'GET',
    path: '/admin/v1/accounts/{account_id}/source-priorities',
    keyed: false,
  },
  changeAccountSourcePriorities: {
    method: 'PATCH',
    path: '/admin/v1/accounts/{account_id}/source-priorities',
    keyed: false,
  },
  getFhirMetadata: { method: 'GET', path: '/fhir/metadata', keyed: false },
  listUnmatchedResults: { method: 'GET', path: '/admin/v1/unmatched-results', keyed: false },
  getUnmatchedResult: { method: 'GET', path: '/admin/v1/unmatched-results/{id}', keyed: false },
  acceptUnmatchedResult: { method: 'POST', path: '/admin/v1/unmatched-results/{id}/accept', keyed: true },
  resolveUnmatchedResult: { method: 'POST', path: '/admin/v1/unmatched-results/{id}/resolve', keyed: true },
  listOrders: { method: 'GET', path: '/admin/v1/orders', keyed: false },
  storeOrder: { method: 'POST', path: '/admin/v1/orders', keyed: false },
  getOrder: { method: 'GET', path: '/admin/v1/orders/{order_id}', keyed: false },
  listNotifications: { method: 'GET', path: '/admin/v1/orders/{order_id}/notifications', keyed: false },
  notifyOfCriticalResults: { method: 'POST', path: '/admin/v1/orders/{order_id}/notified', keyed: false },
  tellCriticalResults: { method: 'POST', path: '/admin/v1/orders/{order_id}/told', keyed: false },
  listOrderTransactions: { method: 'GET', path: '/admin/v1/order-transactions', keyed: false },
  getOrderTransaction: { method: 'GET', path: '/admin/v1/order-transactions/{id}', keyed: false },
  refreshOrderTransaction: { method: 'POST', path: '/admin/v1/order-transactions/{id}/refresh', keyed: false },
  notifyOfRedraw: { method: 'POST', path: '/admin/v1/order-transactions/{id}/notified', keyed: false },
  recordReplacement: { method: 'POST', path: '/admin/v1/order-transactions/{id}/replaced', keyed: false },
  tellRedraw: { method: 'POST', path: '/admin/v1/order-transactions/{id}/told', keyed: false },
  listMyOrders: { method: 'GET', path: '/v1/me/orders', keyed: false },
  getMyOrderTransaction: { method: 'GET', path: '/v1/me/order-transactions/{id}', keyed: false },
  listParsingJobs: { method: 'GET', path: '/admin/v1/parsing-jobs', keyed: false },
  getParsingJob: { method: 'GET', path: '/admin/v1/parsing-jobs/{id}', keyed: false },
  listLabWork: { method: 'GET', path: '/admin/v1/lab-work', keyed: false },
  getOrderResult: { method: 'GET', path: '/admin/v1/orders/{order_id}/result', keyed: false },
  getOrderTransactionResult: { method: 'GET', path: '/admin/v1/order-transactions/{id}/result', keyed: false },
  getMyResult: { method: 'GET', path: '/v1/me/order-transactions/{id}/result', keyed: false },
  listResultChanges: { method: 'GET', path: '/admin/v1/orders/{order_id}/result/changes', keyed: false },
  listCombinedResultChanges: { method: 'GET', path: '/admin/v1/order-transactions/{id}/result/changes', keyed: false },
  uploadLabReport: { method: 'POST', path: '/v1/accounts/{account_id}/lab-reports', keyed: true },
  getLabReport: { method: 'GET', path: '/v1/accounts/{account_id}/lab-reports/{job_id}', keyed: false },
  uploadMyLabReport: { method: 'POST', path: '/v1/me/lab-reports', keyed: true },
  getMyLabReport: { method: 'GET', path: '/v1/me/lab-reports/{job_id}', keyed: false },
  bookAppointment: { method: 'POST', path: '/admin/v1/orders/{order_id}/appointment', keyed: true },
  rescheduleAppointment: { method: 'PATCH', path: '/admin/v1/orders/{order_id}/appointment', keyed: false },
  cancelAppointment: { method: 'DELETE', path: '/admin/v1/orders/{order_id}/appointment', keyed: false },
  listCancellationReasons: { method: 'GET', path: '/admin/v1/labs/cancellation-reasons', keyed: false },
  searchAvailability: { method: 'POST', path: '/v1/labs/availability', keyed: false },
  searchCompendium: { method: 'POST', path: '/v1/labs/compendium/search', keyed: false },
  convertTests: { method: 'POST', path: '/v1/labs/compendium/convert', keyed: false },
  searchAvailabilityAsOperator: { method: 'POST', path: '/admin/v1/labs/availability', keyed: false },
  searchCompendiumAsOperator: { method: 'POST', path: '/admin/v1/labs/compendium/search', keyed: false },
  convertTestsAsOperator: { method: 'POST', path: '/admin/v1/labs/compendium/convert', keyed: false },
  listLabTests: { method: 'GET', path: '/admin/v1/labs/tests', keyed: false },
  getLabTest: { method: 'GET', path: '/admin/v1/labs/tests/{lab_test_id}', keyed: false },
  listLabTestMarkers: { method: 'GET', path: '/admin/v1/labs/tests/{lab_test_id}/markers', keyed: false },
  getArea: { method: 'GET', path: '/v1/labs/areas', keyed: false },
  listPlaces: { method: 'GET', path: '/v1/labs/places', keyed: false },
  listMyOrderPlaces: { method: 'GET', path: '/v1/me/orders/{order_id}/places', keyed: false },
  getAreaAsOperator: { method: 'GET', path: '/admin/v1/labs/areas', keyed: false },
  listPlacesAsOperator: { method: 'GET', path: '/admin/v1/labs/places', keyed: false },
  listOrderPlaces: { method: 'GET', path: '/admin/v1/orders/{order_id}/places', keyed: false },
  placeOrder: { method: 'POST', path: '/admin/v1/orders/place', keyed: true },
  cancelOrder: { method: 'POST', path: '/admin/v1/orders/{order_id}/cancel', keyed: false },
  requestSync: { method: 'POST', path: '/admin/v1/accounts/{account_id}/sync', keyed: false },
  listSyncTasks: { method: 'GET', path: '/admin/v1/sync/tasks', keyed: false },
  getSyncTask: { method: 'GET', path: '/admin/v1/sync/tasks/{id}', keyed: false },
  getSyncProgress: { method: 'GET', path: '/admin/v1/sync/progress', keyed: false },
  listHistoricalPulls: { method: 'GET', path: '/admin/v1/historical-pulls', keyed: false },
  listWorkoutSeries: { method: 'GET', path: '/admin/v1/sync/workout-series', keyed: false },
  disconnectMySource: { method: 'DELETE', path: '/v1/me/sources/{provider}', keyed: false },
  disconnectSource: { method: 'DELETE', path: '/admin/v1/accounts/{account_id}/sources/{provider}', keyed: false },
  disconnectReplacedSource: {
    method: 'POST',
    path: '/admin/v1/accounts/{account_id}/sources/{provider}/disconnect',
    keyed: false,
  },
  listSources: { method: 'GET', path: '/admin/v1/sources', keyed: false },
  listMessages: { method: 'GET', path: '/admin/v1/messages', keyed: false },
  listMessageGroups: { method: 'GET', path: '/admin/v1/messages/groups', keyed: false },
  getMessage: { method: 'GET', path: '/admin/v1/messages/{message_id}', keyed: false },
  replayMessage: { method: 'POST', path: '/admin/v1/messages/{message_id}/replay', keyed: false },
  replayMessages: { method: 'POST', path: '/admin/v1/messages/replay', keyed: false },
  listMessageReplays: { method: 'GET', path: '/admin/v1/messages/replays', keyed: false },
  getMessageReplay: { method: 'GET', path: '/admin/v1/messages/replays/{replay_id}', keyed: false },
  cancelMessageReplay: { method: 'POST', path: '/admin/v1/messages/replays/{replay_id}/cancel', keyed: false },
  startRecovery: { method: 'POST', path: '/admin/v1/sync/recover', keyed: false },
  listRecoveries: { method: 'GET', path: '/admin/v1/sync/recoveries', keyed: false },
  getRecovery: { method: 'GET', path: '/admin/v1/sync/recoveries/{recovery_id}', keyed: false },
  startAudit: { method: 'POST', path: '/admin/v1/audits', keyed: false },
  listAudits: { method: 'GET', path: '/admin/v1/audits', keyed: false },
  getAudit: { method: 'GET', path: '/admin/v1/audits/{audit_id}', keyed: false },
  cancelAudit: { method: 'POST', path: '/admin/v1/audits/{audit_id}/cancel', keyed: false },
  listProofs: { method: 'GET', path: '/admin/v1/accounts/{account_id}/proofs', keyed: false },
  listChanges: { method: 'GET', path: '/v1/changes', keyed: false },
  takeSnapshot: { method: 'POST', path: '/v1/snapshots', keyed: false },
  reportConsumerPosition: { method: 'PUT', path: '/v1/consumers/{name}/position', keyed: false },
  listConsumers: { method: 'GET', path: '/admin/v1/consumers', keyed: false },
  forgetConsumer: { method: 'DELETE', path: '/admin/v1/consumers/{name}', keyed: false },
  createSubscription: { method: 'POST', path: '/admin/v1/subscriptions', keyed: false },
  listSubscriptions: { method: 'GET', path: '/admin/v1/subscriptions', keyed: false },
  getSubscription: { method: 'GET', path: '/admin/v1/subscriptions/{subscription_id}', keyed: false },
  updateSubscription: { method: 'PATCH', path: '/admin/v1/subscriptions/{subscription_id}', keyed: false },
  deleteSubscription: { method: 'DELETE', path: '/admin/v1/subscriptions/{subscription_id}', keyed: false },
  rotateSubscriptionSecret: {
    method: 'POST',
    path: '/admin/v1/subscriptions/{subscription_id}/rotate-secret',
    keyed: false,
  },
  disableSubscription: { method: 'POST', path: '/admin/v1/subscriptions/{subscription_id}/disable', keyed: false },
  enableSubscription: { method: 'POST', path: '/admin/v1/subscriptions/{subscription_id}/enable', keyed: false },
  testSubscription: { method: 'POST', path: '/admin/v1/subscriptions/{subscription_id}/test', keyed: false },
  listPushes: { method: 'GET', path: '/admin/v1/subscriptions/{subscription_id}/pushes', keyed: false },
  replayPushes: { method: 'POST', path: '/admin/v1/subscriptions/{subscription_id}/pushes/replay', keyed: false },
  replayPush: {
    method: 'POST',
    path: '/admin/v1/subscriptions/{subscription_id}/pushes/{change_id}/replay',
    keyed: false,
  },
  listAccessLog: { method: 'GET', path: '/admin/v1/access-log', keyed: false },
  verifyAccessLog: { method: 'GET', path: '/admin/v1/access-log/verification', keyed: false },
  verifyAccessLogAgainstNoted: { method: 'POST', path: '/admin/v1/access-log/verification', keyed: false },
  signAccessLogCheckpoint: { method: 'GET', path: '/admin/v1/access-log/checkpoint', keyed: false },
  exportAccount: { method: 'GET', path: '/admin/v1/accounts/{account_id}/export', keyed: false },
  eraseMe: { method: 'DELETE', path: '/v1/me', keyed: false },
  getMe: { method: 'GET', path: '/v1/me', keyed: false },
  updateMe: { method: 'PATCH', path: '/v1/me', keyed: false },
  exportMe: { method: 'GET', path: '/v1/me/export', keyed: false },
  eraseAccount: { method: 'DELETE', path: '/admin/v1/accounts/{account_id}', keyed: false },
  getAccount: { method: 'GET', path: '/admin/v1/accounts/{account_id}', keyed: false },
  updateAccount: { method: 'PATCH', path: '/admin/v1/accounts/{account_id}', keyed: false },
  listErasures: { method: 'GET', path: '/admin/v1/erasures', keyed: false },
  getErasure: { method: 'GET', path: '/admin/v1/erasures/{erasure_id}', keyed: false },
  openErasureFence: { method: 'DELETE', path: '/admin/v1/erasures/{erasure_id}/fence', keyed: false },
  getErasureFence: { method: 'GET', path: '/admin/v1/erasure-fences/{account_id}', keyed: false },
  listAccounts: { method: 'GET', path: '/admin/v1/accounts', keyed: false },
  createAccount: { method: 'POST', path: '/admin/v1/accounts', keyed: false },
  relinkAccount: { method: 'POST', path: '/admin/v1/accounts/{account_id}/relink', keyed: false },
  blockAccount: { method: 'POST', path: '/admin/v1/accounts/{account_id}/block', keyed: false },
  unblockAccount: { method: 'POST', path: '/admin/v1/accounts/{account_id}/unblock', keyed: false },
  getOverview: { method: 'GET', path: '/admin/v1/overview', keyed: false },
  getForecast: { method: 'GET', path: '/admin/v1/overview/forecast', keyed: false },
  getActivity: { method: 'GET', path: '/admin/v1/overview/activity', keyed: false },
  explainDay: { method: 'GET', path: '/admin/v1/accounts/{account_id}/explain', keyed: false },
  explainDayOfEveryResource: { method: 'GET', path: '/admin/v1/accounts/{account_id}/explanations', keyed: false },
  getCoverage: { method: 'GET', path: '/admin/v1/accounts/{account_id}/coverage', keyed: false },
  search: { method: 'GET', path: '/admin/v1/search', keyed: false },
  listTimeline: { method: 'GET', path: '/admin/v1/accounts/{account_id}/timeline', keyed: false },
  listAlarms: { method: 'GET', path: '/admin/v1/alarms', keyed: false },
  acknowledgeAlarm: { method: 'POST', path: '/admin/v1/alarms/{code}/ack', keyed: false },
  listRecords: { method: 'GET', path: '/admin/v1/accounts/{account_id}/records/{resource}', keyed: false },
  getMyToday: { method: 'GET', path: '/v1/me/today', keyed: false },
  listMyLatest: { method: 'GET', path: '/v1/me/latest', keyed: false },
  listMyDays: { method: 'GET', path: '/v1/me/daily', keyed: false },
  listMyHours: { method: 'GET', path: '/v1/me/hourly', keyed: false },
  explainMyDay: { method: 'GET', path: '/v1/me/explain', keyed: false },
  listMyRecords: { method: 'GET', path: '/v1/me/records/{resource}', keyed: false },
  readAccount: { method: 'GET', path: '/v1/accounts/{account_id}', keyed: false },
  readToday: { method: 'GET', path: '/v1/accounts/{account_id}/today', keyed: false },
  readLatest: { method: 'GET', path: '/v1/accounts/{account_id}/latest', keyed: false },
  readDays: { method: 'GET', path: '/v1/accounts/{account_id}/daily', keyed: false },
  readHours: { method: 'GET', path: '/v1/accounts/{account_id}/hourly', keyed: false },
  readRecords: { method: 'GET', path: '/v1/accounts/{account_id}/records/{resource}', keyed: false },
  examineDeployment: { method: 'GET', path: '/admin/v1/doctor', keyed: false },
  createSession: { method: 'POST', path: '/admin/v1/sessions', keyed: false },
  listSessions: { method: 'GET', path: '/admin/v1/sessions', keyed: false },
  getCurrentSession: { method: 'GET', path: '/admin/v1/sessions/current', keyed: false },
  endSession: { method: 'DELETE', path: '/admin/v1/sessions/{session_id}', keyed: false },
  getSettings: { method: 'GET', path: '/admin/v1/settings', keyed: false },
  signAuditReport: { method: 'GET', path: '/admin/v1/audit-report', keyed: false },
  signReportOfAudit: { method: 'GET', path: '/admin/v1/audits/{audit_id}/report', keyed: false },
  getAuditRef: { method: 'GET', path: '/admin/v1/accounts/{account_id}/audit-ref', keyed: false },
  getReportKeys: { method: 'GET', path: '/.well-known/jwks.json', keyed: false },
} as const satisfies Record<keyof Operations, { method: string; path: string; keyed: boolean }>;
