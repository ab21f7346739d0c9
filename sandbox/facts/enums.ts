/** Enumerations of the wire, as published. All are open: upstream may add values. */
export const PROVIDERS = [
  'oura',
  'fitbit',
  'garmin',
  'whoop',
  'strava',
  'renpho',
  'peloton',
  'wahoo',
  'zwift',
  'freestyle_libre',
  'abbott_libreview',
  'tandem_source',
  'freestyle_libre_ble',
  'eight_sleep',
  'withings',
  'apple_health_kit',
  'manual',
  'ihealth',
  'google_fit',
  'beurer_api',
  'beurer_ble',
  'omron',
  'omron_ble',
  'onetouch_ble',
  'accuchek_ble',
  'contour_ble',
  'dexcom',
  'dexcom_v3',
  'hammerhead',
  'my_fitness_pal',
  'health_connect',
  'samsung_health',
  'polar',
  'cronometer',
  'kardia',
  'whoop_v2',
  'ultrahuman',
  'my_fitness_pal_v2',
  'map_my_fitness',
  'runkeeper',
  'google_health',
] as const;

export const LABS = [
  'ayumetrix',
  'spiriplex',
  'ussl',
  'quest',
  'sonora_quest',
  'labcorp',
  'bioreference',
  'us_biotek',
  'manual',
  'sanocardio',
  'ihd',
  'nexus',
  'my_uti',
  'crl',
  'mtl',
] as const;

export const OAUTH_PROVIDERS = [
  'oura',
  'fitbit',
  'garmin',
  'strava',
  'wahoo',
  'ihealth',
  'withings',
  'google_fit',
  'dexcom_v3',
  'polar',
  'cronometer',
  'omron',
  'whoop_v2',
  'my_fitness_pal_v2',
  'ultrahuman',
  'runkeeper',
  'google_health',
] as const;

export const PASSWORD_PROVIDERS = [
  'whoop',
  'renpho',
  'peloton',
  'zwift',
  'eight_sleep',
  'beurer_api',
  'dexcom',
  'hammerhead',
  'my_fitness_pal',
  'kardia',
  'abbott_libreview',
  'tandem_source',
] as const;

export const EMAIL_PROVIDERS = ['freestyle_libre'] as const;

export const DEMO_PROVIDERS = ['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura'] as const;

export const SOURCE_TYPES = [
  'unknown',
  'phone',
  'watch',
  'app',
  'multiple_sources',
  'fingerprick',
  'cuff',
  'manual_scan',
  'automatic',
  'insulin_pump',
  'scale',
  'chest_strap',
  'ring',
  'lab',
  'exercise_machine',
  'earphone',
] as const;

export const ORDER_EVENT_STATUSES = [
  'received.walk_in_test.ordered',
  'received.walk_in_test.requisition_created',
  'received.walk_in_test.requisition_bypassed',
  'completed.walk_in_test.completed',
  'sample_with_lab.walk_in_test.partial_results',
  'failed.walk_in_test.sample_error',
  'cancelled.walk_in_test.cancelled',
  'collecting_sample.walk_in_test.appointment_pending',
  'collecting_sample.walk_in_test.appointment_scheduled',
  'collecting_sample.walk_in_test.appointment_cancelled',
  'collecting_sample.walk_in_test.redraw_available',
  'received.at_home_phlebotomy.ordered',
  'received.at_home_phlebotomy.requisition_created',
  'received.at_home_phlebotomy.requisition_bypassed',
  'collecting_sample.at_home_phlebotomy.appointment_pending',
  'collecting_sample.at_home_phlebotomy.appointment_scheduled',
  'collecting_sample.at_home_phlebotomy.draw_completed',
  'collecting_sample.at_home_phlebotomy.appointment_cancelled',
  'completed.at_home_phlebotomy.completed',
  'sample_with_lab.at_home_phlebotomy.partial_results',
  'cancelled.at_home_phlebotomy.cancelled',
  'failed.at_home_phlebotomy.sample_error',
  'received.testkit.ordered',
  'received.testkit.awaiting_registration',
  'received.testkit.requisition_created',
  'received.testkit.requisition_bypassed',
  'received.testkit.registered',
  'collecting_sample.testkit.transit_customer',
  'collecting_sample.testkit.out_for_delivery',
  'collecting_sample.testkit.with_customer',
  'collecting_sample.testkit.transit_lab',
  'sample_with_lab.testkit.delivered_to_lab',
  'sample_with_lab.testkit.lab_processing_blocked',
  'completed.testkit.completed',
  'failed.testkit.failure_to_deliver_to_customer',
  'failed.testkit.failure_to_deliver_to_lab',
  'failed.testkit.sample_error',
  'failed.testkit.lost',
  'cancelled.testkit.cancelled',
  'cancelled.testkit.do_not_process',
  'collecting_sample.testkit.problem_in_transit_customer',
  'collecting_sample.testkit.problem_in_transit_lab',
  'received.on_site_collection.ordered',
  'received.on_site_collection.requisition_created',
  'received.on_site_collection.requisition_bypassed',
  'sample_with_lab.on_site_collection.draw_completed',
  'completed.on_site_collection.completed',
  'cancelled.on_site_collection.cancelled',
  'sample_with_lab.on_site_collection.partial_results',
  'failed.on_site_collection.sample_error',
  'completed.walk_in_test.corrected',
  'completed.at_home_phlebotomy.corrected',
  'completed.on_site_collection.corrected',
  'completed.testkit.corrected',
] as const;

export const ORDER_LOW_LEVEL_STATUSES = [
  'ordered',
  'requisition_created',
  'requisition_bypassed',
  'transit_customer',
  'out_for_delivery',
  'with_customer',
  'transit_lab',
  'delivered_to_lab',
  'completed',
  'failure_to_deliver_to_lab',
  'failure_to_deliver_to_customer',
  'problem_in_transit_lab',
  'problem_in_transit_customer',
  'sample_error',
  'appointment_scheduled',
  'appointment_cancelled',
  'appointment_pending',
  'draw_completed',
  'cancelled',
  'lost',
  'do_not_process',
  'partial_results',
  'awaiting_registration',
  'registered',
  'redraw_available',
  'corrected',
  'lab_processing_blocked',
] as const;

export const ORDER_STATUS_DETAILS = [
  'fulfillment_error',
  'date_of_collection_unspecified',
  'demographic_information_unspecified',
  'demographic_information_mismatch',
  'sample_quantity_not_sufficient',
  'sample_contaminated',
  'sample_stability_exceeded',
  'sample_hemolyzed',
  'sample_improper_collection',
] as const;

export const COLLECTION_METHODS = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;

export const BILLING_TYPES = [
  'client_bill',
  'commercial_insurance',
  'patient_bill_passthrough',
  'patient_bill',
] as const;

export const INTERPRETATIONS = ['normal', 'abnormal', 'critical', 'unknown'] as const;

export const RESULT_TYPES = ['numeric', 'range', 'comment', 'coded_value'] as const;

export const RADII = ['10', '20', '25', '50', '100'] as const;

export const APPOINTMENT_LABS = ['quest', 'sonora_quest'] as const;

export const COMPENDIUM_MODES = ['canonical', 'crosswalk'] as const;

export const COMPENDIUM_LABS = ['labcorp', 'quest', 'bioreference', 'sonora_quest'] as const;

export const CONSENT_TYPES = [
  'terms-of-use',
  'telehealth-informed-consent',
  'mobile-terms-and-conditions',
  'notice-of-privacy-practices',
  'privacy-policy',
  'hipaa-authorization',
] as const;

export const GENDERS = ['female', 'male', 'other', 'unknown'] as const;

export const RACES = [
  'african_american_or_black',
  'asian',
  'indigenous_native_american_alaska_native',
  'other',
  'pacific_islander_or_hawaiian',
  'white_caucasian',
] as const;

export const ETHNICITIES = ['hispanic', 'non_hispanic', 'ashkenazi_jewish', 'other'] as const;

export const CONNECTION_ERROR_TYPES = [
  'token_refresh_failed',
  'webhook_registration_failed',
  'user_not_found',
  'deregistered_per_provider',
  'required_scopes_not_granted',
  'provider_credential_error',
  'provider_password_expired',
  'unknown',
] as const;

export const LINK_ERROR_TYPES = [
  'invalid_token',
  'token_expired',
  'token_not_validated',
  'token_consumed',
  'provider_credential_error',
  'provider_password_expired',
  'provider_api_error',
  'unsupported_region',
  'duplicate_connection',
  'required_scopes_not_granted',
  'incorrect_mfa_code',
  'user_cancelled',
] as const;

export const PULL_ERRORS_RETRIABLE = [
  'provider_rate_limit_exceeded',
  'provider_unavailable',
  'transport_failure',
  'resource_contention',
] as const;

export const PULL_ERRORS_FINAL = ['non_retriable_error', 'unexpected_error', 'retry_quota_exhausted'] as const;

export const ORDER_ACTIVATION_TYPES = ['current', 'scheduled'] as const;

export const APPOINTMENT_STATUSES = [
  'confirmed',
  'pending',
  'reserved',
  'in_progress',
  'completed',
  'cancelled',
] as const;
