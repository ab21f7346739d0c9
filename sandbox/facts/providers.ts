import { EMAIL_PROVIDERS, OAUTH_PROVIDERS, PASSWORD_PROVIDERS, PROVIDERS } from './enums.js';

export interface ProviderFace {
  name: string;
  slug: string;
  logo: string;
}

const PHONE_PROVIDERS: readonly string[] = ['apple_health_kit', 'health_connect', 'samsung_health'];

const SOURCE_TYPES_BY_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  oura: ['ring'],
  ultrahuman: ['ring'],
  apple_health_kit: ['watch', 'phone', 'multiple_sources'],
  health_connect: ['watch', 'phone'],
  samsung_health: ['watch', 'phone'],
  fitbit: ['watch', 'scale'],
  garmin: ['watch', 'chest_strap'],
  withings: ['scale', 'cuff', 'watch'],
  omron: ['cuff'],
  omron_ble: ['cuff'],
  freestyle_libre: ['automatic', 'manual_scan'],
  abbott_libreview: ['automatic', 'manual_scan'],
  dexcom: ['automatic'],
  dexcom_v3: ['automatic'],
  accuchek_ble: ['fingerprick'],
  contour_ble: ['fingerprick'],
  onetouch_ble: ['fingerprick'],
  peloton: ['exercise_machine'],
};

/**
 * Providers whose times are floating local time with a false `+00:00` and no offset
 * (docs/upstream/timeseries.md#floating-time).
 */
const FLOATING: readonly string[] = ['freestyle_libre', 'abbott_libreview'];

export function providerFace(slug: string): ProviderFace {
  const name = slug
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
  return { name, slug, logo: `https://logos.sandbox.example/${slug}.png` };
}

export function sourceTypesOf(slug: string): readonly string[] {
  return SOURCE_TYPES_BY_PROVIDER[slug] ?? ['unknown', 'app'];
}

export function isFloating(slug: string): boolean {
  return FLOATING.includes(slug);
}

export function isPhoneProvider(slug: string): boolean {
  return PHONE_PROVIDERS.includes(slug);
}

export function isProvider(slug: string): boolean {
  return (PROVIDERS as readonly string[]).includes(slug);
}

/** `auth_type` of `GET /v2/providers` (docs/upstream/connections.md#provider-list). */
export function authTypeOf(slug: string): string {
  if ((OAUTH_PROVIDERS as readonly string[]).includes(slug)) return 'oauth';
  if ((PASSWORD_PROVIDERS as readonly string[]).includes(slug)) return 'password';
  if ((EMAIL_PROVIDERS as readonly string[]).includes(slug)) return 'email';
  return isPhoneProvider(slug) ? 'sdk' : '';
}
